import { type Logger, pino, stdSerializers } from 'pino';

/** Members that hold secrets, wherever a log line might carry them. */
const SECRET = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'apiKey',
  'privateKey',
  'authorization',
  'cookie',
];

/**
 * Structured lines on standard error; people at a terminal get them in colour. Errors tell type, message and stack,
 * never the parameters of the statement that failed: those are documents, and may be secrets.
 */
export function openLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => (error instanceof Error ? withoutQuery(error) : error) },
      redact: { paths: SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '********' },
    },
    process.stderr.isTTY
      ? pino.transport({
          target: 'pino-pretty',
          options: { destination: 2, translateTime: 'SYS:HH:MM:ss.l' },
        })
      : pino.destination({ dest: 2, sync: true }),
  );
}

/** Drizzle's message quotes the statement and its parameters; the driver's error beneath says what went wrong. */
function withoutQuery(error: Error): object {
  const inner = error.cause instanceof Error && 'query' in error ? error.cause : error;
  const { type, message, stack } = stdSerializers.err(inner);
  const { code, constraint_name: constraint } = inner as { code?: string; constraint_name?: string };
  return { type, message, stack, code, constraint };
}

/**
 * What Node would write on standard error by itself comes as lines of the log, where an operator's tools expect JSON
 * (operations.md): warnings, and promises whose failure nobody took. Once for each thread.
 */
export function tellTroubles(log: Logger) {
  process.removeAllListeners('warning');
  process.on('warning', (warning) =>
    log[warning.name === 'DeprecationWarning' ? 'debug' : 'warn']({ err: warning }, 'warning'),
  );
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
}
