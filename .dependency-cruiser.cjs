/** The floors of docs/architecture.md: calls go down the stairs, nothing calls up. */
const rule = (name, from, to, pathNot) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: to, ...(pathNot && { pathNot }) },
});

const PURE = { path: '^server/engines/[^/]+/', pathNot: '/(service|worker|[^/]*\\.service)\\.ts$' };

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    rule('db-is-the-ground', '^db/', '^(server|routers)/'),
    rule('schemas-stand-alone', '^db/schemas/', '^db/', '^db/schemas/'),
    rule(
      'southbound-knows-no-documents',
      '^server/southbound/',
      '^(routers|db|server/(http|engines|trpc))',
      '^db/schemas/',
    ),
    rule(
      'engines-know-no-http',
      '^server/engines/',
      '^(routers/|server/(http/|trpc|main))|node_modules/(hono|@hono|@trpc|trpc-to-openapi)/',
    ),
    {
      name: 'engines-are-pure-but-for-their-shell',
      severity: 'error',
      from: PURE,
      to: { path: '^db/|node_modules/(drizzle-orm|postgres)/', pathNot: '^db/schemas/' },
    },
    rule(
      'engines-meet-devices-through-ports',
      '^server/engines/',
      '^server/southbound/|node_modules/(ssh2|@grpc)/',
      '/ports\\.ts$',
    ),
    {
      name: 'engines-read-no-clock-or-disk',
      severity: 'error',
      from: PURE,
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'engines-are-entered-by-their-service',
      severity: 'error',
      from: { path: '^routers/' },
      to: { path: '^server/engines/', pathNot: '(/|\\.)service\\.ts$' },
    },
    rule(
      'routers-hold-no-sql',
      '^routers/',
      '^(db/|server/(http|southbound))|node_modules/(drizzle-orm|postgres|ssh2|@grpc)/',
      '^db/schemas/',
    ),
    rule(
      'durable-work-has-one-door',
      '^(server/(?!durable/)|routers/|db/)',
      'node_modules/(@dbos-inc|pg)/|^server/durable/(?!(port|engine|requests|patiently)\\.ts)',
    ),
    rule(
      'http-enters-by-the-routers',
      '^server/http/',
      '^db/(?!schemas/)|^server/southbound/|node_modules/(drizzle-orm|postgres)/',
    ),
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '(\\.d\\.m?ts|config\\.ts)$|^server/http/docs/' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
