import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { type Choices, isRecord, type Node, nodeOf } from '../../src/solvers/input/schema.ts';
import { choice, optional, ratio, readInput, record, usedWith } from '../../src/solvers/input.ts';
import { solvers } from '../../src/solvers/registry.ts';

// An input that the chosen mode, type or model does not use is refused, and the refusal says with which it goes.

function refusalOf(act: () => unknown): Refusal | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return undefined;
}

const shapes = record({
  shape: optional(choice(['ball', 'box', 'rod'], 'Absent: ball.', { default: 'ball' })),
  ends: optional(choice(['flat', 'round'], 'Of a rod.')),
  ...usedWith({ shape: ['ball', 'rod'] }, { radius: optional(ratio('Radius.')) }),
  ...usedWith([{ shape: ['box'] }, { shape: ['rod'], ends: ['flat'] }], { edge: optional(ratio('Edge.')) }),
});

t.test('a field is read with the choices that it goes with', async (t) => {
  const cases: [body: object, field?: string, accepts?: string][] = [
    [{ radius: 1 }],
    [{ shape: 'rod', radius: 1 }],
    [{ shape: 'box', edge: 1 }],
    [{ shape: 'rod', edge: 1 }], // whose ends may be flat
    [{ shape: 'rod', ends: 'flat', edge: 1 }],
    [{ shape: 'box', radius: 1 }, 'radius', 'radius with shape ball or rod'],
    [{ edge: 1 }, 'edge', 'edge with shape box, or shape rod and ends flat'],
    [{ shape: 'rod', ends: 'round', edge: 1 }, 'edge', 'edge with shape box, or shape rod and ends flat'],
  ];
  for (const [body, field, accepts] of cases) {
    const refusal = refusalOf(() => readInput(shapes, body));
    t.match(
      refusal,
      field === undefined ? undefined : { code: 'INVALID_INPUT', details: { field, accepts } },
      JSON.stringify(body),
    );
  }
  t.match(
    refusalOf(() => readInput(shapes, { shape: 'box', radius: 1 }))!.message,
    /^radius is not used with shape box;/,
  );
});

/** Something that the schema of a field takes. */
function plausible(node: Node): unknown {
  if (node.anyOf) return plausible(node.anyOf[0]!);
  if (node.const !== undefined) return node.const;
  if (node.enum) return node.enum[0];
  switch (node.type) {
    case 'string':
      return '1';
    case 'array': {
      const items = Array.isArray(node.items) ? (node.items as Node[]) : undefined;
      return items?.map(plausible) ?? Array(node.minItems ?? 1).fill(plausible(node.items as Node));
    }
    case 'object':
      return Object.fromEntries(
        (node.required ?? []).map((name) => [name, plausible(node.properties![name]!)]),
      );
    default: {
      const least = node.minimum ?? (node.exclusiveMinimum ?? 0) + (node.exclusiveMaximum ?? 2) / 2;
      return node.multipleOf ? node.multipleOf * Math.ceil(least / node.multipleOf) : least;
    }
  }
}

const goesWith = (
  choices: Choices,
  body: Record<string, unknown>,
  properties: Readonly<Record<string, Node>>,
) =>
  Object.entries(choices).every(([name, words]) => {
    const chosen = body[name] ?? properties[name]!.default;
    return chosen === undefined || words.includes(chosen);
  });

interface Place {
  readonly path: string;
  readonly properties: Readonly<Record<string, Node>>;
  readonly value: Record<string, unknown>;
  readonly put: (value: unknown) => Record<string, unknown>;
}

/** The body and each object inside it whose schema has fields that go with a choice. */
function* placesOf(node: Node, value: unknown, path: string, put: Place['put']): Generator<Place> {
  if (!isRecord(value) || !node.properties) return;
  yield { path, properties: node.properties, value, put };
  for (const [name, inner] of Object.entries(node.properties))
    yield* placesOf(inner, value[name], `${path}${name}.`, (changed) => put({ ...value, [name]: changed }));
}

for (const solver of solvers) {
  const properties = nodeOf(solver.input).properties!;
  t.test(`${solver.id}: what an example does not use is refused with what uses it`, async (t) => {
    for (const { title, body } of solver.examples)
      for (const place of placesOf(
        nodeOf(solver.input),
        body,
        '',
        (value) => value as Record<string, unknown>,
      ))
        for (const [name, node] of Object.entries(place.properties)) {
          if (!node.usedWith || place.value[name] !== undefined) continue;
          if (node.usedWith.some((choices) => goesWith(choices, place.value, place.properties))) continue;
          const sent = place.put({ ...place.value, [name]: plausible(node) });
          const { code, details, message } = refusalOf(() => readInput(solver.input, sent)) ?? {};
          t.match(
            { code, field: details?.field },
            { code: 'INVALID_INPUT', field: `${place.path}${name}` },
            `${title}: ${message}`,
          );
          const [key] = Object.keys(node.usedWith[0]!);
          t.match(
            message,
            new RegExp(`is not used with .*; accepted: ${name} with ${key} `),
            `${title}: ${name}`,
          );
        }
  });

  t.test(`${solver.id}: what a field goes with are words of choices beside it`, async (t) => {
    const check = (fields: Readonly<Record<string, Node>>) => {
      for (const [name, node] of Object.entries(fields)) {
        for (const choices of node.usedWith ?? [])
          for (const [choice, words] of Object.entries(choices)) {
            const known = fields[choice]?.enum ?? fields[choice]?.anyOf?.map((each) => each.const);
            t.ok(
              words.every((word) => known?.includes(word)),
              `${name} with ${choice} ${words}`,
            );
            t.notOk(fields[name] && nodeOf(solver.input).required?.includes(name), `${name} may be absent`);
          }
        if (node.properties) check(node.properties);
      }
    };
    check(properties);
  });
}
