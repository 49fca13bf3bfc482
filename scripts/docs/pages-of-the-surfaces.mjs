// docs/api.md from the machine description and the error catalogue; docs/cli.md from the verbs' own help.
import { code, made, table } from './markdown.mjs';

const built = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);

export async function apiPage({ description }) {
  const { catalogue } = await built('src/errors/catalogue.js');
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  );
  const sections = description.tags.flatMap((tag) => [
    `## ${tag.name}`,
    tag.description,
    table(
      ['route', 'what', 'key', 'answers'],
      operations.filter(({ tags }) => tags.includes(tag.name)).map(routeRow),
    ),
  ]);
  const errors = Object.entries(catalogue).map(([name, { status, meaning }]) => [
    `\`${name}\``,
    status,
    meaning,
  ]);
  return `${[
    made('the machine description and src/errors/catalogue.ts'),
    '# HTTP interface',
    `OpenAPI ${description.openapi} at \`/api/openapi.json\` (description version ${description.info.version}), to be read at \`/api/docs\`. Requests and responses are JSON where nothing else is said.`,
    'Routes with a key take `Authorization: Bearer svc_ak_…`. Bodies are at most 1 MiB, those of solver and quote routes 4 MiB with at most 32768 items, 8192 fields and 32 levels; longer arrays are sent as blobs of at most 64 MiB and named in the request, 32 MiB in all. A job that is expected to take more than 60 s of the reference core is answered 202 with its `Location` at once, one that comes to take more is then. Solver routes take `Prefer: respond-async` (202 and a job) and `Idempotency-Key` (a repeat is the same job). Every answer has `X-Request-Id`.',
    ...sections,
    '## Errors',
    'Every error has the body `{"error": {"code", "message", "request_id", …}}`; where it helps, `field` and `accepts` say what was wrong and what is accepted. With 429 and 503 comes `Retry-After`. On `compute` a missing input is HTTP 200 with `value` null and `inputError`.',
    table(['code', 'status', 'meaning'], errors),
  ].join('\n\n')}\n`;
}

function routeRow({ method, path, summary, security, responses }) {
  const statuses = Object.keys(responses).sort();
  return [`\`${method} ${path}\``, summary, security ? 'yes' : '', statuses.join(', ')];
}

export async function cliPage() {
  const [{ verbs }, { program }] = await Promise.all([
    built('src/cli/verbs.js'),
    built('src/cli/program.js'),
  ]);
  const sections = [];
  for (const { name } of verbs) {
    const svc = await program(name);
    const verb = svc.commands.find((command) => command.name() === name);
    const nested = ['run', 'quote'].includes(name) ? [] : verb.commands;
    for (const command of [verb, ...nested]) {
      const title = command === verb ? name : `${name} ${command.name()}`;
      sections.push(`## svc ${title}`, code('text', helpOf(command)));
    }
  }
  return `${[
    made("the verbs' own help"),
    '# Command line',
    'Each verb prints JSON with `--json`. Exit codes: 0 done and sound, 1 refused or not sound, 2 not understood or not readable. The solvers and their flags are in [solvers](solvers/README.md).',
    ...sections,
  ].join('\n\n')}\n`;
}

function helpOf(command) {
  let text = '';
  const writeOut = (piece) => {
    text += piece;
  };
  command.configureOutput({ writeOut, getOutHelpWidth: () => 100, getOutHasColors: () => false });
  command.outputHelp();
  return text.trimEnd();
}
