import { spawn } from 'node:child_process';
import { howToFill, venvBinary } from './venv.ts';

/** The interpreter that has Wasmtime and the test servers; undefined where the venv could not be made. */
export const python = venvBinary('python');

/** For `t.test(name, { skip: pythonMissing }, …)`: false, or why not and how to get it. */
export const pythonMissing: string | false = python === undefined && `no Python venv: ${howToFill}`;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the venv's Python to its end.
 *
 * @param args such as `['script.py', 'file']`, or `['-c', 'print(1)']`
 * @param input what it reads from standard input; nothing by default
 */
export function runPython(args: readonly string[], input: string | Uint8Array = ''): Promise<Finished> {
  if (python === undefined) throw new Error(`no Python venv: ${howToFill}`);
  const child = spawn(python, args);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  child.stdin.on('error', () => {}); // a script that does not read its input closes the pipe early
  child.stdin.end(input);
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done({ code, ...output }));
  });
}
