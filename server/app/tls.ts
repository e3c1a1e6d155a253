import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { ConfigError } from '#server/kernel/config.ts';
import { isCertificateEnding, noteCertificate } from '#server/kernel/observability/certificate-end.ts';
import { runAtIntervals } from '#server/kernel/timing/interval-task.ts';

/** The files of TLS_CERT and TLS_KEY. */
export type TlsFiles = { cert: string; key: string };

/** The certificate chain and the private key, in PEM. */
export type TlsPair = { cert: Buffer; key: Buffer };

/** How often the files are compared, in milliseconds. */
const CHECK_MS = 5000;

/**
 * Reads certificate and key.
 *
 * @throws ConfigError naming the variable whose file cannot be read, or saying that the two do not belong together
 */
export async function readTls(files: TlsFiles): Promise<TlsPair> {
  const read = (variable: string, file: string) =>
    readFile(file).catch((error: NodeJS.ErrnoException) => {
      throw new ConfigError(`${variable}: ${file} cannot be read (${error.code ?? error.message})`);
    });
  const [cert, key] = await Promise.all([read('TLS_CERT', files.cert), read('TLS_KEY', files.key)]);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    // OpenSSL's reason names no content of the files.
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`TLS_CERT and TLS_KEY are not a PEM certificate and its private key: ${reason}`);
  }
  return { cert, key };
}

/** The part of Node's HTTPS server that loads another certificate. */
type SecureServer = { setSecureContext: (pair: TlsPair) => void };

/**
 * Loads a new certificate into a running server once its files have changed: within seconds, or at SIGHUP. Open
 * connections keep theirs. While the files do not belong together, the server keeps the certificate that it has.
 *
 * @param current the pair that the server started with
 * @returns a function that stops following the files
 */
export function followTls(
  files: TlsFiles,
  current: TlsPair,
  server: SecureServer,
  log: Pick<Logger, 'info' | 'warn'>,
): () => Promise<void> {
  let loaded = fingerprintOf(current);
  noteEnd(current, log);
  let complained = '';
  const reload = async () => {
    try {
      const pair = await readTls(files);
      complained = '';
      if (fingerprintOf(pair) === loaded) return;
      server.setSecureContext(pair);
      loaded = fingerprintOf(pair);
      log.info({ cert: files.cert }, 'the new TLS certificate is in use');
      noteEnd(pair, log);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // Said once, not at each check.
      if (reason !== complained) log.warn({ reason }, 'the TLS certificate was not replaced');
      complained = reason;
    }
  };
  const stop = runAtIntervals(CHECK_MS, reload, () => undefined);
  const onHangUp = () => void reload();
  process.on('SIGHUP', onHangUp);
  return async () => {
    process.off('SIGHUP', onHangUp);
    await stop();
  };
}

/** Records when a certificate in use ends, and warns when that is soon. */
function noteEnd({ cert }: TlsPair, log: Pick<Logger, 'warn'>): void {
  const ends = noteCertificate(cert);
  if (isCertificateEnding(new Date()))
    log.warn({ ends: ends.toISOString() }, 'the TLS certificate ends soon');
}

const fingerprintOf = ({ cert, key }: TlsPair) =>
  createHash('sha256').update(cert).update('\0').update(key).digest('hex');
