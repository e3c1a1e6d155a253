/** Ends with status 0 when this container's process is ready (`GET /health/ready`), else with 1. */
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

const { PORT = '3000', TLS_CERT } = process.env;
const options = { host: '127.0.0.1', port: Number(PORT), path: '/health/ready', timeout: 2500 };
// The certificate is for the name that clients use, not for this address.
const sent = TLS_CERT ? getHttps({ ...options, rejectUnauthorized: false }) : getHttp(options);
sent.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
sent.on('error', ({ message }) => {
  process.stderr.write(`not ready: ${message}\n`);
  process.exit(1);
});
