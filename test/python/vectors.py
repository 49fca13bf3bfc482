"""Known answers for the parts of the verifier, from the RFCs and from docs/protocol.md. Run: python vectors.py PAGE"""

import base64
import re
import struct
import sys
import unittest
from hashlib import sha256, sha512

import clock
import ed25519
import merkle
from revocations import read_revocation
from sealed_checks import proof_of
from strict_json import Unreadable, canonical, number_text, read_json

PAGE = open(sys.argv.pop(1), encoding="utf-8").read()

# RFC 8032 section 7.1: public key, message, signature of TEST 1, 2, 3 and SHA(abc)
signatures = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        b"",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        b"\x72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        b"\xaf\x82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        sha512(b"abc").digest(),
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
]

# RFC 8785 appendix B: bits of a double and how ECMAScript writes it
numbers = """
0000000000000000 0
8000000000000000 0
0000000000000001 5e-324
8000000000000001 -5e-324
7fefffffffffffff 1.7976931348623157e+308
4340000000000000 9007199254740992
c340000000000000 -9007199254740992
4430000000000000 295147905179352830000
44b52d02c7e14af5 9.999999999999997e+22
44b52d02c7e14af6 1e+23
44b52d02c7e14af7 1.0000000000000001e+23
444b1ae4d6e2ef4e 999999999999999700000
444b1ae4d6e2ef4f 999999999999999900000
444b1ae4d6e2ef50 1e+21
3eb0c6f7a0b5ed8c 9.999999999999997e-7
3eb0c6f7a0b5ed8d 0.000001
41b3de4355555553 333333333.3333332
41b3de4355555554 333333333.33333325
41b3de4355555555 333333333.3333333
41b3de4355555556 333333333.3333334
41b3de4355555557 333333333.33333343
becbf647612f3696 -0.0000033333333333333333
43143ff3c1cb0959 1424953923781206.2
"""


def example(name: str) -> str:
    """The block after `<!-- example NAME -->` on the page."""
    return re.search(rf"<!-- example {name} -->\n\n```\w+\n(.*?)```", PAGE, re.S)[1]


class Vectors(unittest.TestCase):
    def test_the_signatures_of_rfc_8032_verify_and_altered_ones_do_not(self):
        for key, message, signature in signatures:
            key, signature = bytes.fromhex(key), bytes.fromhex(signature)
            self.assertTrue(ed25519.verify(key, message, signature))
            self.assertFalse(ed25519.verify(key, message + b"!", signature))
            for at in (0, 40):
                altered = bytearray(signature)
                altered[at] ^= 1
                self.assertFalse(ed25519.verify(key, message, bytes(altered)))

    def test_a_signature_whose_scalar_is_not_below_the_order_is_refused(self):
        key, message, signature = signatures[1]
        signature = bytes.fromhex(signature)
        greater = int.from_bytes(signature[32:], "little") + ed25519.L
        malleable = signature[:32] + greater.to_bytes(32, "little")
        self.assertFalse(ed25519.verify(bytes.fromhex(key), message, malleable))

    def test_numbers_are_written_as_in_rfc_8785(self):
        for line in numbers.split("\n")[1:-1]:
            bits, text = line.split()
            self.assertEqual(number_text(struct.unpack(">d", bytes.fromhex(bits))[0]), text)

    def test_members_are_sorted_by_utf_16_code_units(self):
        # RFC 8785 section 3.2.3
        names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
        text = canonical({name: 0.0 for name in names}).decode()
        expected = ["\\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
        self.assertEqual(re.findall('"(.*?)"', text), expected)

    def test_the_pages_canonical_json_reads_and_writes_itself(self):
        line = example("canonical").strip().encode()
        self.assertEqual(canonical(read_json(line)), line)

    def test_what_is_not_json_is_unreadable(self):
        for text in ("", "{", "NaN", "1e999", "01", '"\x01"', "\ufeff1", "1 2", '{"a":1,"a":1}', '"\\ud800"', "[" * 101 + "]" * 101):
            self.assertRaises(Unreadable, read_json, text.encode())

    def test_the_clock_has_the_pages_bits(self):
        lines = re.findall(r"s\((\d+)\) = \S+ = (\w{16})", example("clock"))
        self.assertEqual(len(lines), 4)
        for rem, bits in lines:
            self.assertEqual(struct.pack(">d", clock.sine(int(rem))).hex(), bits)
        self.assertEqual(clock.mean_over_a_tick(1540.0), 1540)

    def test_the_proofs_of_v3_and_v1_are_the_pages(self):
        sealed = read_json(example("envelope").replace("\n", "").encode())
        found = dict(re.findall(r"^(v3|v1) (\w{64})$", example("proofs"), re.M))
        for generation in ("v3", "v1"):
            proof = proof_of({**sealed, "generation": generation}, bytes(range(32, 64)))
            self.assertEqual(proof, found[generation])

    def test_what_is_shown_has_the_digest_of_the_pages_envelope(self):
        shown = example("shown").replace("\n", "").encode()
        sealed = read_json(example("envelope").replace("\n", "").encode())
        self.assertEqual(canonical(read_json(shown)), shown)
        self.assertEqual(sha256(shown).hexdigest(), sealed["shownHash"])

    def test_inclusion_holds_for_every_leaf_of_trees_up_to_nine_and_nowhere_else(self):
        for size in range(1, 10):
            leaves = [bytes([i]) for i in range(size)]
            for i in range(size):
                path = path_of(i, leaves)
                self.assertEqual(merkle.root_by_inclusion(leaves[i], i, size, path), merkle.root(leaves))
                self.assertIsNone(merkle.root_by_inclusion(leaves[i], i, size, [*path, bytes(32)]))
                for j in range(size):
                    found = merkle.root_by_inclusion(leaves[i], j, size, path)
                    self.assertEqual(found == merkle.root(leaves), i == j)

    def test_the_root_of_nothing_is_the_hash_of_nothing(self):
        self.assertEqual(merkle.root([]), sha256().digest())

    def test_the_pages_key_is_accepted_and_one_with_another_hash_refused(self):
        text = example("verifier key").strip()
        self.assertEqual(merkle.verifier_key(text).name, "example-node")
        self.assertRaises(Unreadable, merkle.verifier_key, text.replace("7c883b89", "7c883b88"))

    def test_the_pages_search_goes_down_the_tree_to_the_digest_of_segment_2(self):
        text = example("search")
        at = dict(re.findall(r"^(sealed|claimed) .*root (\w{64})$", text, re.M))
        digests = re.findall(r"D_\d    (\w{64})", example("segments"))
        self.assertEqual(merkle.root([bytes.fromhex(D) for D in digests]).hex(), at["sealed"])
        for shown in re.findall(r"^leaves \d to \d\n  sealed  (\w+) (\w+)\n  claimed (\w+) (\w+)", text, re.M):
            for side, (left, right) in (("sealed", shown[:2]), ("claimed", shown[2:])):
                self.assertEqual(merkle.node_hash(bytes.fromhex(left), bytes.fromhex(right)).hex(), at[side])
            differs = 0 if shown[0] != shown[2] else 1
            at = {"sealed": shown[differs], "claimed": shown[2 + differs]}
        self.assertEqual(at["sealed"], merkle.leaf_hash(bytes.fromhex(digests[2])).hex())
        self.assertEqual(at["claimed"], merkle.leaf_hash(bytes([7] * 32)).hex())

    def test_the_pages_verdict_and_revocation_name_their_leaves(self):
        statement, verdict = example("challenge verdict").replace("\n", "").split("leaf hash ")
        self.assertEqual(canonical(read_json(statement.encode())).decode(), statement)
        leaf = f"svc-verdict-1\n{statement}\n".encode()
        self.assertEqual(merkle.leaf_hash(leaf).hex(), verdict)
        text, found = example("revocation").strip().split("leaf hash ")
        self.assertEqual(merkle.leaf_hash(text.encode()).hex(), found)
        content = read_revocation(text.encode(), "")
        envelope = example("envelope").replace("\n", "").encode()
        self.assertEqual(content["envelope"], merkle.leaf_hash(envelope).hex())
        self.assertEqual((content["verdict"], content["verdict_index"]), (verdict, 3))
        self.assertRaises(Unreadable, read_revocation, text.replace(":2,", ": 2,").encode(), "")

    def test_the_pages_kernel_has_its_digest(self):
        encoded, digest = example("kernel").split("sha256 ")
        self.assertEqual(sha256(base64.b64decode(encoded)).hexdigest(), digest.strip())


def path_of(index: int, leaves: list) -> list:
    """PATH(m, D[n]) of RFC 6962 section 2.1.1, by its recursion."""
    if len(leaves) == 1:
        return []
    k = 1 << (len(leaves) - 1).bit_length() - 1
    if index < k:
        return [*path_of(index, leaves[:k]), merkle.root(leaves[k:])]
    return [*path_of(index - k, leaves[k:]), merkle.root(leaves[:k])]


if __name__ == "__main__":
    unittest.main()
