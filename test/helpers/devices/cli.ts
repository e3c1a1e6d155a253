import type { CliTarget } from '#server/southbound/cli/ports.ts';
import { ACCOUNT, type Device } from '../../lab/devices/simulator.ts';

/** A simulated device as a target. */
export const at = ({ port }: Pick<Device, 'port'>, more: Partial<CliTarget> = {}): CliTarget => ({
  name: `device-${port}`,
  host: '127.0.0.1',
  port,
  username: ACCOUNT.username,
  password: ACCOUNT.password,
  enablePassword: ACCOUNT.enable,
  deviceType: 'cisco_ios',
  hostKey: { policy: 'accept-new', algorithm: '', fingerprint: null },
  connectMs: 20_000,
  ...more,
});

/** A call that nobody ends. */
export const never = (commandMs = 5000) => ({ commandMs, signal: new AbortController().signal });
