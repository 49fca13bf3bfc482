import Fastify from 'fastify';

// The peer of bench/http/sealed.ts: the same HTTP library, the same JSON body, and a constant for an answer.
const app = Fastify();
app.post('/*', async () => ({ value: 1 }));
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
console.log(`listening on http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
process.once('SIGTERM', () => void app.close());
