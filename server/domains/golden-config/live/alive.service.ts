import { runAction, testGrpcHost, testHost } from '#server/domains/network/index.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { type LiveContext, type Origin, originOf } from './origin.service.ts';

/** Whether a device answers. */
export type Alive = {
  device: string;
  isAlive: boolean;
  checkedAt: string;
  /** Finer code of what is wrong; empty when nothing is. */
  reason: string;
  detail: string;
  /** Whether the orchestrator keeps what the device has, in its own words; absent where none reports it. */
  sync?: string;
};

type AliveResult = Pick<Alive, 'isAlive' | 'reason' | 'detail' | 'sync'>;

/**
 * Whether a device answers, asked of it at this moment by its origin; that it does not is no error
 * (contract/lifecycle#4.1).
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when the adapter is stopped
 */
export async function isAlive(call: LiveContext, name: string): Promise<Alive> {
  const origin = await originOf(call, name);
  const found = await ASKED[origin.via](call, origin);
  return { device: name, checkedAt: call.platform.now().toISOString(), ...found };
}

const ASKED: Record<Origin['via'], (call: LiveContext, origin: Origin) => Promise<AliveResult>> = {
  cli: async (call, { device }) =>
    foundOf(await testHost({ ...call, reads: true }, device.name, call.request.gone())),
  grpc: async (call, { device }) => foundOf(await testGrpcHost(call, device.name)),
  orchestrator: async (call, { device, adapter }) => {
    const act = async (action: string) => {
      const path = `/restconf/data/tailf-ncs:devices/device=${encodeURIComponent(device.name)}/${action}`;
      const { instance_data } = await runAction(call, adapter, path, {});
      return outputOf(instance_data);
    };
    try {
      const { result, info = '' } = await act('connect');
      const isAlive = result === true || result === 'true';
      const sync = isAlive ? String((await act('check-sync')).result ?? 'unknown') : undefined;
      return {
        isAlive,
        reason: isAlive ? '' : 'UNREACHABLE',
        detail: String(info),
        ...(sync !== undefined && { sync }),
      };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'CONFLICT') throw error;
      return { isAlive: false, reason: String(error.extra?.reason ?? error.code), detail: error.message };
    }
  },
};

const foundOf = ({ ok, detail, ...more }: { ok: boolean; detail: string; reason?: string }): AliveResult => ({
  isAlive: ok,
  reason: ok ? '' : (more.reason ?? 'UNREACHABLE'),
  detail,
});

/** What an action answered: the members of its output, whatever the module that names it. */
function outputOf(answer: unknown): Record<string, unknown> {
  const [output] = Object.values(answer ?? {}) as unknown[];
  // The members of JSON that is an object.
  return typeof output === 'object' && output !== null ? (output as Record<string, unknown>) : {};
}
