import { z } from 'zod';

const version = (of: string) => z.string().describe(`Version of ${of}`);
const bytes = (of: string) => z.number().describe(`${of}, in bytes`);

const RuntimeVersions = z
  .looseObject({
    node: version('Node.js, the runtime, without a leading v'),
    v8: version('V8, its JavaScript engine'),
    uv: version('libuv, its event loop'),
    zlib: version('zlib, its compression'),
    brotli: version('Brotli, its second compression'),
    ares: version('c-ares, its DNS resolver'),
    modules: version('the binary interface for native add-ons (a plain number)'),
    nghttp2: version('nghttp2, its HTTP/2 library'),
    napi: version('the stable native add-on interface Node-API (a plain number)'),
    llhttp: version('llhttp, its HTTP/1 parser'),
    http_parser: version('the HTTP/1 parser under its old key; equals llhttp'),
    openssl: version('OpenSSL, its TLS and cryptography'),
    cldr: version('the Unicode locale data'),
    icu: version('the Unicode library ICU'),
    tz: version('the time zone database'),
    unicode: version('the Unicode standard'),
  })
  .describe('Versions of the runtime and of the libraries inside it, as text');

const PartVersions = z
  .looseObject({
    '@vendor/audit-trail': version('the part that writes the audit log'),
    '@vendor/event-system': version('the part that publishes and delivers events'),
    '@vendor/network': version('the part that communicates with devices and orchestrators'),
    '@vendor/service': version('the part that runs areas and engines'),
    '@vendor/logger': version('the part that writes logs'),
    '@vendor/database': version('the part that stores documents'),
    '@vendor/utils': version('the shared library of the other parts'),
  })
  .describe('Versions of the platform’s own parts');

/** The measured state of the server process that answers (contract/resources#2.4, contract/endpoints#4.5). */
export const ServerHealth = z
  .looseObject({
    version: z.string().meta({ description: 'Version of the platform', examples: ['2026.1.0'] }),
    release: z
      .string()
      .meta({ description: 'Calendar version: year, number, patch', examples: ['2026.1.0'] }),
    arch: z
      .enum(['arm', 'arm64', 'ia32', 'mips', 'mipsel', 'ppc', 'ppc64', 's390', 's390x', 'x32', 'x64'])
      .describe('Processor architecture that the server runs on'),
    platform: z
      .enum(['aix', 'darwin', 'freebsd', 'linux', 'openbsd', 'sunos', 'win32'])
      .describe('Operating system that the server runs on'),
    versions: RuntimeVersions,
    memoryUsage: z
      .looseObject({
        rss: bytes('Total memory of the process'),
        heapTotal: bytes('Memory reserved for JavaScript objects'),
        heapUsed: bytes('Memory used by JavaScript objects'),
        external: bytes('Memory of native objects bound to JavaScript objects'),
        arrayBuffers: bytes('Memory of binary data, which external includes'),
      })
      .describe('Memory of this process; each number is below 2³¹'),
    cpuUsage: z
      .looseObject({
        user: z.number().describe('Processor time in user code, in microseconds'),
        system: z.number().describe('Processor time in the operating system, in microseconds'),
      })
      .describe('Processor time of this process since it started'),
    uptime: z.number().describe('Seconds since this process started, with fractions'),
    pid: z.number().describe('Process id of the server process that handles the request'),
    dependencies: PartVersions,
  })
  .meta({
    id: 'ServerHealth',
    description: 'State of the server process that handles the request, as measured now.',
  });
export type ServerHealth = z.infer<typeof ServerHealth>;
