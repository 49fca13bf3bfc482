import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';

/** Routes whose requests have the types of their schemas. */
export const typed = (plain: FastifyInstance) => plain.withTypeProvider<TypeBoxTypeProvider>();

export type App = ReturnType<typeof typed>;
