import t from 'tap';
import { readCheckpoint } from '../../src/proof/checkpoint.ts';
import { isSignedBy, noteSigner, readNote, readVkey } from '../../src/proof/note.ts';
import { isStatement, readStatement, signStatement } from '../../src/proof/statement.ts';

const signer = noteSigner('node-a', new Uint8Array(32).fill(7));
const stranger = noteSigner('node-b', new Uint8Array(32).fill(8));
const { note, statement } = signStatement(signer, 'svc-attest-1', { verdict: 'holds', b: 1, a: 'é' });

t.test(
  'a statement is a signed note of its kind and canonical JSON, opened by the key of the node',
  async (t) => {
    t.equal(statement, '{"a":"é","b":1,"verdict":"holds"}');
    t.equal(readNote(note).text, `svc-attest-1\n${statement}\n`);
    t.ok(isSignedBy(readNote(note), readVkey(signer.vkey)));
    t.ok(isStatement(note));
    t.match(readStatement(note, [stranger.vkey, signer.vkey]), {
      ...{ kind: 'svc-attest-1', signedBy: 'node-a', content: { verdict: 'holds' } },
    });
  },
);

t.test('a changed statement, or one of a node that is not trusted, is signed by nobody', async (t) => {
  t.equal(readStatement(note, [stranger.vkey]).signedBy, undefined);
  t.equal(readStatement(note.replace('holds', 'fails'), [signer.vkey]).signedBy, undefined);
  const renamed = note.replace('svc-attest-1', 'svc-reverify-1');
  t.equal(readStatement(renamed, [signer.vkey]).signedBy, undefined, 'the kind is signed too');
});

t.test('a statement is no checkpoint, and a checkpoint no statement', async (t) => {
  t.throws(() => readCheckpoint(note));
  const checkpoint = signer.sign('node-a\n3\nJGGFoBKz4pMsgQUfztHZQejdK9TStmoJRQP7gdZA/Uc=\n');
  t.ok(readCheckpoint(checkpoint));
  t.notOk(isStatement(checkpoint));
});

t.test('what is no statement is refused', async (t) => {
  const twins = [
    'svc-attest-1\n',
    signer.sign('svc-attest-1\n{"b":1,"a":2}\n'),
    signer.sign('svc-attest-1\n[1]\n'),
    signer.sign('svc-attest-1\n{}\n{}\n'),
    signer.sign('svc-attest-2\n{}\n'),
    note.replace('{', '{ '),
  ];
  for (const text of twins)
    t.throws(() => readStatement(text, [signer.vkey]), { code: 'INVALID_INPUT' }, JSON.stringify(text));
  t.throws(() => signStatement(signer, 'svc-attest-1', { name: 'a\u0085b' }), TypeError);
});
