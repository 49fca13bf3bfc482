import type { FastifyInstance } from 'fastify';

interface Route {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/**
 * Which methods a path takes, of all routes that are registered after this. Fastify's router only says whether there
 * is a route for a method and a path; a refused request can afford to go through the list.
 */
export function methodsByPath(app: FastifyInstance): (path: string) => string[] {
  const routes = new Map<string, Route>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const route = routes.get(url) ?? { segments: segmentsOf(url), methods: new Set() };
    routes.set(url, route);
    for (const each of [method].flat()) route.methods.add(each);
  });
  return (path) => {
    const segments = segmentsOf(path);
    const fitting = [...routes.values()].filter((route) => fits(route.segments, segments));
    return [...new Set(fitting.flatMap((route) => [...route.methods]))].sort();
  };
}

/** A slash at the end makes no other path, as in the router. */
const segmentsOf = (path: string): string[] => path.replace(/(?<=.)\/$/, '').split('/');

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length !== path.length) return false;
  return pattern.every((segment, i) => (segment.startsWith(':') ? path[i] !== '' : segment === path[i]));
}
