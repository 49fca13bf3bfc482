/** What `#crypto` gives, in Node and elsewhere. Keys are objects, so that a raw secret is handed over once. */

export interface HmacKey {
  /** HMAC-SHA256 over the concatenation of `parts`. */
  mac(...parts: readonly Uint8Array[]): Uint8Array;
}

export interface SigningKey {
  /** 32 bytes (RFC 8032). */
  readonly publicKey: Uint8Array;
  /** Ed25519 signature, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}
