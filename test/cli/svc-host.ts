import { createInterface } from 'node:readline';

// A process in which commands of `svc` run one after another, as test/servers/warm-program.ts asks for: what they say
// and their exit code come back as one line.

const answer = process.stdout.write.bind(process.stdout);
const said = { stdout: '', stderr: '' };

type Write = typeof process.stdout.write;

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    said[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  }) as Write;
}

process.argv.splice(2, Infinity, '--version'); // what main.ts runs when it is loaded
const { main } = await import('../../src/cli/main.ts');

for await (const line of createInterface(process.stdin)) {
  Object.assign(said, { stdout: '', stderr: '' });
  process.exitCode = undefined;
  await main(JSON.parse(line) as string[]);
  answer(`${JSON.stringify({ code: process.exitCode ?? 0, ...said })}\n`);
}
process.exit(0);
