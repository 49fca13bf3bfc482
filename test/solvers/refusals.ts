import t from 'tap';
import { catalogue, type ErrorCode } from '../../src/errors/catalogue.ts';
import { books, testApp } from '../http/test-app.ts';

/** A request that is refused before or after it runs. */
export interface Refused {
  readonly title: string;
  readonly body: object;
  readonly code: string;
  /** Dotted path that the refusal names. */
  readonly field?: string;
  /** What the sentence has. */
  readonly says?: RegExp;
}

const ofTheRequest = ['MISSING_INPUT', 'INVALID_INPUT', 'LIMIT_EXCEEDED', 'STABILITY_LIMIT'];

/** Each as a caller meets it, over HTTP through the whole pipeline; and the books stay as they were (SOLV-16, HON-15). */
export function testRefusals(solver: string, refused: readonly Refused[]): void {
  if (refused.length === 0) return;
  t.test(
    `${solver}: ${refused.length} refusals over HTTP, and no planck moves`,
    { timeout: 300_000 },
    async (t) => {
      const api = await testApp(t);
      const { jobs: earlier, ...before } = await books(api);
      for (const { title, body, code, field, says } of refused)
        await t.test(`${title} is refused with ${code}`, async (t) => {
          const { status, body: answer, text } = await api.post(`/api/svc/${solver}`, body);
          const error = answer?.error;
          t.equal(error?.code, code, text.slice(0, 300));
          t.equal(status, catalogue[code as ErrorCode].status);
          if (field !== undefined) t.equal(error.field, field);
          t.ok(error.message.length > 10, 'a sentence');
          if (says !== undefined) t.match(error.message, says);
          if (ofTheRequest.includes(code))
            t.ok(error.accepts !== undefined || error.bound !== undefined, 'it says what is accepted');
          t.notOk('value' in answer || 'value' in error, 'and no value');
        });
      // A job that was dear enough to be recorded keeps its refusal.
      const { jobs, ...after } = await books(api);
      t.ok(jobs - earlier <= refused.length);
      t.same(after, before, 'nothing charged, sealed or logged');
    },
  );
}
