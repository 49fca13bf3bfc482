import t from 'tap';
import { pythonMissing, runPython } from './python.ts';

// (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
const addition = '0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b';

const addByWasmtime = `
import importlib.metadata, wasmtime
store = wasmtime.Store()
module = wasmtime.Module(store.engine, bytes.fromhex(input()))
add = wasmtime.Instance(store, module, []).exports(store)["add"]
print(importlib.metadata.version("wasmtime"), add(store, 40, 2))
`;

t.test('Wasmtime, an engine that is not V8, runs a module', { skip: pythonMissing }, async (t) => {
  const { code, stdout, stderr } = await runPython(['-c', addByWasmtime], `${addition}\n`);
  t.equal(code, 0, stderr);
  t.equal(stdout, '50.0.1 42\n');
});

t.test('a script that fails says so', { skip: pythonMissing }, async (t) => {
  const { code, stderr } = await runPython(['-c', 'raise SystemExit("no")']);
  t.equal(code, 1);
  t.equal(stderr, 'no\n');
});
