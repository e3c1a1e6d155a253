/**
 * What may import what (docs/architecture.md). Calls go down: app, http, routers, domains, kernel, db. Domains and
 * southbound read the records of platforms, which import neither. A domain may import the domains that its line of
 * `server/domains/allowed-imports.json` names, and only through their index.ts.
 */
const DOMAINS = require('./server/domains/allowed-imports.json');

const rule = (name, from, to, pathNot) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: to, ...(pathNot && { pathNot }) },
});

/** Files that compute and touch nothing. */
const PURE = { path: '^server/domains/', pathNot: '/(index|worker|[^/]*\\.service)\\.ts$' };

const arrows = Object.entries(DOMAINS).map(([domain, allowed]) =>
  rule(
    `${domain}-imports-what-its-line-names`,
    `^server/domains/${domain}/`,
    '^server/domains/',
    `^server/domains/(${[domain, ...allowed].join('|')})/`,
  ),
);

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    rule('db-imports-no-code-above', '^db/', '^(server|routers)/'),
    rule('schemas-import-schemas-only', '^db/schemas/', '^db/', '^db/schemas/'),
    rule(
      'southbound-knows-no-documents',
      '^server/southbound/',
      '^(routers|db|server/(app|http|domains))/',
      '^db/schemas/',
    ),
    {
      name: 'kernel-knows-no-domain',
      severity: 'error',
      from: { path: '^server/kernel/', pathNot: '/thread\\.mjs$' },
      to: { path: '^(routers|server/(app|http|domains))/' },
    },
    rule(
      'platforms-are-data',
      '^server/platforms/',
      '^(routers|db|server)/',
      '^(server/platforms|db/schemas)/',
    ),
    ...arrows,
    {
      name: 'domains-are-entered-by-their-index',
      severity: 'error',
      from: { path: '^server/domains/([^/]+)/' },
      to: { path: '^server/domains/', pathNot: '^server/domains/($1/|[^/]+/index\\.ts$)' },
    },
    {
      name: 'domains-are-entered-by-their-index-from-outside',
      severity: 'error',
      // A thread loads what it runs, not all of a domain.
      from: { path: '^(routers|server/(app|http|durable|southbound))/', pathNot: '^server/app/work/' },
      to: { path: '^server/domains/', pathNot: '^server/domains/[^/]+/index\\.ts$' },
    },
    rule(
      'domains-know-no-http',
      '^server/domains/',
      '^(routers/|server/(app|http)/|server/main)|node_modules/(hono|@hono|@trpc|trpc-to-openapi)/',
    ),
    {
      name: 'only-services-touch-the-database',
      severity: 'error',
      from: PURE,
      // The registry of kinds is data.
      to: {
        path: '^db/|node_modules/(drizzle-orm|postgres)/',
        pathNot: '^db/(schemas/|document-kinds/(kinds|definition)\\.ts)',
      },
    },
    rule(
      'domains-reach-devices-through-ports',
      '^server/domains/',
      '^server/southbound/|node_modules/(ssh2|@grpc)/',
      '/ports\\.ts$',
    ),
    {
      name: 'only-services-read-clock-and-disk',
      severity: 'error',
      from: PURE,
      // What util holds are functions of their arguments.
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?util$' },
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
      'node_modules/(@dbos-inc|pg)/|^server/durable/(?!(port|engine|requests)\\.ts)',
    ),
    rule(
      'http-enters-by-the-routers',
      '^server/http/',
      '^db/(?!schemas/)|^server/southbound/|node_modules/(drizzle-orm|postgres)/',
    ),
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '(\\.d\\.[cm]?ts|config\\.ts)$|^server/http/pages/docs/' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
