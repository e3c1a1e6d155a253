import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

type Severity = 'debug' | 'info' | 'warn' | 'error';
/** Receives the database's messages: one line each, without secrets. */
export type DatabaseLog = (severity: Severity, message: string) => void;

const LINE =
  /^(?:([a-z ]+)\||\d{4}-.*? \[\d+\] )?(DEBUG\d?|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC|HINT|DETAIL):\s+(.*)$/;

/**
 * Passes a server's messages to `log`, and keeps the reason why it stopped: `reason()` returns its last fatal message
 * with its hint, else the last line that is not a PostgreSQL message (from the loader or the shell).
 */
export function readServerLog(
  stream: Readable,
  log: DatabaseLog,
): { reason: () => string; end: Promise<void> } {
  let fatal = '';
  let other = '';
  const lines = createInterface({ input: stream });
  lines.on('line', (line) => {
    const [, backend = '', level, text = ''] = LINE.exec(line) ?? [];
    if (!level) {
      other = line.trim() || other;
      return;
    }
    // a client's errors are returned to that client, and may quote what it sent
    if (backend === 'client backend' && level !== 'PANIC') return;
    if (level === 'FATAL' || level === 'PANIC') fatal = text;
    else if (level === 'HINT' && fatal) fatal = `${fatal} (${text})`;
    log(severityOf(level, text), `PostgreSQL: ${text}`);
  });
  const end = new Promise<void>((resolve) => lines.once('close', resolve));
  return { reason: () => fatal || other || 'PostgreSQL gave no reason', end };
}

function severityOf(level: string, text: string): Severity {
  if (level === 'PANIC') return 'error';
  // several processes that start at once find out in this way which one runs the server
  if (text.startsWith('lock file ')) return 'debug';
  if (level === 'WARNING' || level === 'ERROR' || level === 'FATAL') return 'warn';
  return /terminated by signal|not properly shut down/.test(text) ? 'warn' : 'debug';
}
