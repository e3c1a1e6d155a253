import type { TlsSettings } from '../http/ports.ts';

/** A mail server; the settings hold decrypted secrets and must not outlive the call. */
export type MailServer = {
  host: string;
  port: number;
  security: 'starttls' | 'tls' | 'none';
  username?: string | undefined;
  password?: string | undefined;
  tls: Pick<TlsSettings, 'ca' | 'rejectUnauthorized'>;
};

/** A message in plain text. */
export type MailMessage = {
  /** The same for each attempt: servers recognize a repeated message by it. */
  id: string;
  from: string;
  to: readonly string[];
  subject: string;
  text: string;
  headers: Readonly<Record<string, string>>;
};

/** A receiver that a server rejected although it accepted others. */
export type RejectedReceiver = {
  address: string;
  /** Whether it may be accepted later, as with greylisting (RFC 5321 §4.2.1). */
  isTemporary: boolean;
  reason: string;
};

/** Sends mail. */
export type MailPort = {
  /**
   * Sends a message. The address that the server's name resolves to is checked, and is the one that is dialled.
   *
   * @returns the receivers that the server rejected, while others get the message
   * @throws Error when the server cannot be reached, rejects the account, the message or all receivers, or does not answer in
   *   time
   */
  send: (server: MailServer, message: MailMessage, signal: AbortSignal) => Promise<RejectedReceiver[]>;
};
