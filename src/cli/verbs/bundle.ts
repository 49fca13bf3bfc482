import type { Command } from 'commander';
import type { Answer } from '../../proof/answer.ts';
import { type Bundle, makeBundle } from '../../proof/bundle.ts';
import { bytesOf, orUnreadable } from '../in-file.ts';
import { type CommonOptions, dataOption, examples, jsonOption } from '../options.ts';
import { checkOut, STDOUT, writeOut } from '../out-file.ts';
import { print, printJson } from '../output.ts';
import { type RemoteOptions, remoteOf } from '../proof-files.ts';

/** `svc bundle`: an answer with all that it names in one file. */
export function bundleVerb(program: Command): void {
  const command = program
    .command('bundle')
    .summary('put an answer with all its blobs and kernels into one file that needs nobody')
    .argument('<file>', 'an answer; - for standard input')
    .option('--out <file>', 'where to write it; standard output without it')
    .option('--url <url>', 'the node that has its blobs; without it, this machine')
    .option('--account-key <key>', 'of an account that may read them there (or SVC_KEY)')
    .action(bundle);
  examples(
    jsonOption(dataOption(command)),
    [
      'svc bundle answer.json --out bundle.json',
      'svc bundle answer.json --url https://node.example --out bundle.json',
    ],
    'Exit: 0 written, 1 a piece is nowhere to be found, 2 unreadable.',
  );
}

async function bundle(file: string, options: RemoteOptions & { out?: string }): Promise<void> {
  checkOut(options.out);
  const text = bytesOf(file).toString('utf8');
  const answer = parsedAnswer(text, file);
  const made = options.url === undefined ? bundleHere(answer, options) : bundleThere(answer, options);
  const content = await orUnreadable(file, made);
  const json = `${JSON.stringify(content)}\n`;
  if (!writeOut(options.out ?? STDOUT, json)) return;
  const count = { blobs: Object.keys(content.blobs).length, kernels: Object.keys(content.kernels).length };
  if (options.json) printJson({ file: options.out, ...count, bytes: json.length });
  else print(`${options.out}: ${count.blobs} blobs, ${count.kernels} kernels, ${json.length} bytes`);
}

async function bundleHere(answer: Answer, options: CommonOptions): Promise<Bundle> {
  const [{ withStore }, { blobBytes }, { KernelCatalogue }] = await Promise.all([
    import('../stored.ts'),
    import('../../store/blobs.ts'),
    import('../../../workers/kernels.ts'),
  ]);
  const catalogue = new KernelCatalogue();
  return withStore(options, (store) =>
    makeBundle(answer, {
      blob: (digest) => blobBytes(store, digest),
      kernel: async (digest) => catalogue.bytes(digest),
    }),
  );
}

function bundleThere(answer: Answer, options: RemoteOptions): Promise<Bundle> {
  const remote = remoteOf(options);
  return makeBundle(answer, {
    blob: (digest) => remote.bytes(`/api/svc/blobs/${digest}`),
    kernel: (digest) => remote.bytes(`/api/svc/kernels/${digest}`),
  });
}

/** The runs may be a blob that is not in the file yet, so the answer is only parsed here. */
function parsedAnswer(text: string, file: string): Answer {
  const parsed = parsedJson(text, file);
  const answer = isRecord(parsed) && parsed.format === 'svc-bundle-1' ? parsed.answer : parsed;
  if (!isRecord(answer) || !isRecord(answer.envelope))
    throw new RangeError(`${file} cannot be read: it is no answer, which is an object with an envelope.`);
  return answer as unknown as Answer;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsedJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RangeError(`${file} is not JSON: ${(error as Error).message}`);
  }
}
