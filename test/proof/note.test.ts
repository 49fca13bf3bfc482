import t from 'tap';
import { fromHex } from '../../src/proof/bytes.ts';
import { checkpointText, logProofText, readCheckpoint, readLogProof } from '../../src/proof/checkpoint.ts';
import { isSignedBy, keyNameProblem, noteSigner, readNote, readVkey } from '../../src/proof/note.ts';

// Key, text and signed note of golang.org/x/mod/sumdb/note, example_test.go.
const vkey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const text =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const note = `${text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;
/** Private key PRIVATE+KEY+PeterNeumann+c74f20a3+AYEK… of the same file, without its type byte. */
const seed = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);

t.test('notes of the Go reference are read, verified and made', async (t) => {
  const verifier = readVkey(vkey);
  t.ok(isSignedBy(readNote(note), verifier));
  const signer = noteSigner('PeterNeumann', seed);
  t.equal(signer.vkey, vkey);
  t.equal(signer.sign(text), note);
});

t.test('a changed note, an unknown key and a wrong signature beside a right one are refused', async (t) => {
  const verifier = readVkey(vkey);
  t.notOk(isSignedBy(readNote(note.replace('your problem is', 'your problem as')), verifier));
  const other = noteSigner('PeterNeumann', fromHex('00'.repeat(32)));
  t.notOk(isSignedBy(readNote(other.sign(text)), verifier), 'same name, another key');
  const twice = `${note}${other.sign(text).split('\n\n')[1]}`;
  t.ok(isSignedBy(readNote(twice), verifier), 'an unknown signature is passed over');
  const wrong = readNote(note).signatures[0]!.signature;
  const line = Buffer.from([
    ...verifier.keyId,
    ...wrong.map((byte, i) => (i === 9 ? byte ^ 1 : byte)),
  ]).toString('base64');
  t.notOk(isSignedBy(readNote(`${note}— PeterNeumann ${line}\n`), verifier));
});

t.test('what is no key or no note is refused with a sentence', async (t) => {
  for (const line of [
    '',
    'name',
    'name+00000000+AAAA',
    vkey.replace('c74f', 'c74e'),
    vkey.replace('+AR', '+BR'),
    `x${vkey}`,
  ]) {
    t.throws(() => readVkey(line), RangeError, line);
  }
  for (const bad of [
    '',
    'a\n',
    'a\n\n',
    'a\n\nb\n',
    `${note}x`,
    note.replace('— ', '- '),
    note.replace('If', 'I\tf'),
  ]) {
    t.throws(() => readNote(bad), RangeError, JSON.stringify(bad));
  }
  for (const name of ['', 'a b', 'a+b', 'a\u2003b', 'a\n']) t.ok(keyNameProblem(name), JSON.stringify(name));
  t.throws(() => noteSigner('a b', seed), RangeError);
});

t.test('a checkpoint has the three lines of C2SP tlog-checkpoint', async (t) => {
  // The example of c2sp.org/tlog-checkpoint.
  const example =
    'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n' +
    '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n';
  const checkpoint = readCheckpoint(example);
  t.equal(checkpoint.origin, 'example.com/behind-the-sofa');
  t.equal(checkpoint.size, 20852163);
  const signer = noteSigner('example.com/log', seed);
  const own = checkpointText(signer, 20852163, checkpoint.root);
  t.equal(own.split('\n\n')[0], `example.com/log\n${example.split('\n').slice(1, 3).join('\n')}`);
  t.ok(isSignedBy(readCheckpoint(own).note, signer));
  for (const bad of [
    own.replace('20852163', '020852163'),
    own.replace('20852163', '-1'),
    own.replace('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'CsUY'),
    own.replace('example.com/log\n', '\n'),
  ]) {
    t.throws(() => readCheckpoint(bad), RangeError);
  }
});

t.test('a log proof is written and read as C2SP tlog-proof', async (t) => {
  const signer = noteSigner('example.com/log', seed);
  const root = Buffer.from('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'base64');
  const proof = {
    index: 73894,
    path: ['gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=', 'B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA='],
    checkpoint: checkpointText(signer, 109482, root),
  };
  const written = logProofText(proof);
  t.match(written, /^c2sp\.org\/tlog-proof@v1\nindex 73894\ngSKy.*=\nB95l.*=\n\nexample\.com\/log\n109482\n/);
  t.same(readLogProof(written), proof);
  t.same(readLogProof(written.replace('index', 'extra AAAA\nindex')), proof, 'extra data is passed over');
  t.same(readLogProof(logProofText({ ...proof, index: 0, path: [] })), { ...proof, index: 0, path: [] });
  for (const bad of [written.slice(1), written.replace('index ', 'index 0'), written.replace('gSKy', 'gS')]) {
    t.throws(() => readLogProof(bad), RangeError);
  }
});
