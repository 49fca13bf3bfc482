import type { FastifyInstance } from 'fastify';
import { Refusal } from '../errors/refusal.ts';
import { endOfString, refuseRepeatedMembers } from './json-members.ts';

/**
 * Reading JSON holds up the event loop, and what it costs depends on its structure more than on its length: 4 MiB of
 * distinct keys take JSON.parse most of a second, as a string a few milliseconds. So the structure of a long body is
 * counted first, at about 1 ms per MiB.
 */
export const jsonLimits = {
  /** Lists, objects, and what stands in them: a number of a list counts as one, a field of an object as two. */
  items: 32_768,
  /** Fields of objects. */
  fields: 8192,
  depth: 32,
} as const;

/** A body up to this length is parsed as it is: whatever stands in it is quickly read. */
const SHORT = 32 * 1024;

/** The parser of JSON bodies: Fastify's own, once the structure is seen to be small enough. */
export function registerJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Many clients give each request the type, those that send nothing too.
    if (text === '' && request.method === 'DELETE') return done(null, undefined);
    const structure = structureOf(text);
    try {
      if (text.length > SHORT) refuseLarge(structure);
    } catch (error) {
      return done(error as Error);
    }
    return parse(request, text, (error, body) => {
      if (error) return done(parses(text) ? forbidden() : (noNumber(text) ?? error));
      try {
        refuseRepeatedMembers(text, structure.fields, body);
      } catch (repeated) {
        return done(repeated as Error);
      }
      return done(null, body);
    });
  });
}

/** What the parser refuses and yet is JSON has keys that would reach the prototype of objects. */
function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const forbidden = (): Refusal =>
  new Refusal(
    'INVALID_INPUT',
    'The body holds a field "__proto__", or a field "constructor" with a field "prototype" in it; neither is taken, however deep.',
  );

/** What programs write for numbers that JSON has no word for. */
const notFinite = /(?<!\w)(?:NaN|Infinity|nan|inf)\b/y;
const initials = new Set([...'NIni'].map((letter) => letter.charCodeAt(0)));

/** NaN and Infinity outside of strings; undefined where something else is wrong. */
function noNumber(text: string): Refusal | undefined {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i);
    if (!initials.has(c)) continue;
    notFinite.lastIndex = i;
    const word = notFinite.exec(text)?.[0];
    if (word === undefined) continue;
    const accepts = 'finite numbers';
    return new Refusal(
      'INVALID_INPUT',
      `The body holds ${word}, for which JSON has no word; accepted: ${accepts}.`,
      {
        ...{ field: 'body', accepts },
      },
    );
  }
  return undefined;
}

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const COMMA = 44;
const COLON = 58;
const QUOTE = 34;

interface Structure {
  readonly items: number;
  readonly fields: number;
  /** Of the deepest place. */
  readonly depth: number;
}

/** @throws Refusal PAYLOAD_TOO_LARGE */
export const refuseLargeStructure = (text: string): void => refuseLarge(structureOf(text));

/** Counts what stands outside of strings; whether it is JSON at all, the parser says. */
function structureOf(text: string): Structure {
  let items = 0;
  let fields = 0;
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === COMMA) items++;
    else if (c === QUOTE) i = endOfString(text, i);
    else if (c === COLON) {
      items++;
      fields++;
    } else if (c === OPEN_BRACKET || c === OPEN_BRACE) {
      items++;
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (c === CLOSE_BRACKET || c === CLOSE_BRACE) depth--;
  }
  return { items, fields, depth: deepest };
}

function refuseLarge({ items, fields, depth }: Structure): void {
  if (depth > jsonLimits.depth) refuse('nests deeper than', 'depth', jsonLimits.depth, 'levels');
  if (items > jsonLimits.items) refuse('holds more than', 'items', jsonLimits.items, 'items');
  if (fields > jsonLimits.fields) refuse('has more than', 'fields', jsonLimits.fields, 'fields');
}

function refuse(what: string, limit: string, accepts: number, unit: string): never {
  throw new Refusal('PAYLOAD_TOO_LARGE', `The body ${what} ${accepts} ${unit}; ${SEND_BLOBS}`, {
    limit,
    accepts,
  });
}

/** What to do with an array that is too long for a body. */
export const SEND_BLOBS =
  'send long arrays as blobs: PUT /api/svc/blobs, then {"$blob": "sha256:…"} in the place of the array.';
