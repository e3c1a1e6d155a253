import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

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
 * Structured lines on standard error, or on `destination`; people at a terminal get them in colour. Errors tell type, message and stack,
 * never the parameters of the statement that failed: those are documents, and may be secrets.
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const isTerminal = destination === undefined && process.stderr.isTTY;
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => (error instanceof Error ? withoutQuery(error) : error) },
      redact: { paths: SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '********' },
      hooks: { streamWrite: isTerminal ? escapeForTerminal : escapeUnprintable },
    },
    isTerminal
      ? pino.transport({
          target: 'pino-pretty',
          options: { destination: 2, translateTime: 'SYS:HH:MM:ss.l' },
        })
      : (destination ?? pino.destination({ dest: 2, sync: true })),
  );
}

/** What JSON lets through and terminals act on: DEL, C1 controls, separators, and characters that steer direction. */
const STEERING =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Escapes within a line of the log, which is JSON, whatever could change how the line is shown. JSON itself escapes
 * line ends and the other controls; the line means the same afterwards.
 */
export const escapeUnprintable = (line: string): string => line.replace(STEERING, escaped);

/**
 * The same for lines that are decoded before they are shown: escapes of controls are doubled, so that decoding gives
 * their escape and not the control. Line ends and tabs of stacks stay.
 */
export const escapeForTerminal = (line: string): string =>
  line
    .replace(/\\(?:u00[01][0-9a-f]|[rbf]|.)/g, (found) => (/^\\[urbf]/.test(found) ? `\\${found}` : found))
    .replace(STEERING, (char) => `\\${escaped(char)}`);

/** Drizzle's message quotes the statement and its parameters; the driver's error beneath says what went wrong. */
function withoutQuery(error: Error): object {
  const inner = error.cause instanceof Error && 'query' in error ? error.cause : error;
  const { type, message, stack } = stdSerializers.err(inner);
  const { code, constraint_name: constraint } = inner as { code?: string; constraint_name?: string };
  return { type, message, stack, code, constraint };
}

/**
 * What Node would write on standard error by itself comes as lines of the log, where an operator's tools expect JSON
 * (docs/operations.md): warnings, and promises whose failure nobody took. Once for each thread.
 */
export function logProcessErrors(log: Logger) {
  process.removeAllListeners('warning');
  process.on('warning', (warning) =>
    log[warning.name === 'DeprecationWarning' ? 'debug' : 'warn']({ err: warning }, 'warning'),
  );
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
}
