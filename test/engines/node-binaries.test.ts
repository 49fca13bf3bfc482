import { execFileSync } from 'node:child_process';
import t from 'tap';
import { engines, newerNode, newerNodeMissing } from './node-binaries.ts';

// An addition in WebAssembly, called often enough to be compiled by TurboFan, and V8's own word on what it became.
const probe = `
const bytes = Buffer.from('0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b', 'hex');
const { add } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
let sum = 0;
for (let i = 0; i < 200000; i++) sum = add(sum, i);
console.log(%IsLiftoffFunction(add) ? 'Liftoff only' : %IsTurboFanFunction(add) ? 'TurboFan only' : 'neither');
`;

for (const { name, node, flags } of engines()) {
  t.test(`V8 compiles by what it was told: ${name}`, async (t) => {
    const said = execFileSync(node, ['--allow-natives-syntax', ...flags, '-e', probe], { encoding: 'utf8' });
    t.ok(name.endsWith(said.trim()), said);
  });
}

t.test('the newer Node is newer', { skip: newerNodeMissing }, async (t) => {
  const version = execFileSync(newerNode!, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  t.ok(Number.parseInt(version, 10) > 20, version);
});
