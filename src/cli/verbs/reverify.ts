import type { Command } from 'commander';
import pc from 'picocolors';
import { escaped } from '../../errors/printable.ts';
import { bytesOf } from '../in-file.ts';
import { examples, jsonOption } from '../options.ts';
import { checkOut, writeOut } from '../out-file.ts';
import { print, printJson } from '../output.ts';
import { RemoteNode } from '../remote.ts';

interface Reverified {
  readonly verdict: string;
  readonly where: string | null;
  readonly detail: string;
  readonly note: string;
}

/** `svc reverify`: a node verifies an answer, executes it again, and signs what it found. */
export function reverifyVerb(program: Command): void {
  const command = program
    .command('reverify')
    .summary('have a node check an answer and sign its verdict')
    .argument('<file>', 'an answer or a bundle; - for standard input')
    .requiredOption('--url <url>', 'the node that is asked')
    .option('--out <file>', 'write the signed verdict to this file')
    .action(reverify);
  examples(
    jsonOption(command),
    ['svc reverify answer.json --url https://node.example --out verdict.txt'],
    'Exit: 0 sound, 1 not sound, REVOKED or UNKNOWN_NODE, or refused, 2 not understood.',
  );
}

async function reverify(
  file: string,
  { url, out, json }: { url: string; out?: string; json?: boolean },
): Promise<void> {
  checkOut(out);
  const bytes = new Uint8Array(bytesOf(file));
  const found = await new RemoteNode(url, undefined).exact<Reverified>(
    { verdict: 'text', detail: 'text', note: 'text' },
    'POST',
    '/api/svc/reverify',
    bytes,
  );
  const isSound = found.verdict === 'SOUND';
  process.exitCode = isSound ? 0 : 1;
  if (out && !writeOut(out, found.note)) return;
  if (json) printJson(found);
  else {
    const mark = isSound ? pc.green('SOUND') : pc.red(escaped(found.verdict));
    print(`${mark}: ${escaped(found.detail)}`);
    if (out) print(`written to ${out}; check it with: svc verify ${out}`);
  }
}
