import { runAction, testGrpcHost, testHost } from '#server/domains/network/index.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { type Origin, originOf } from './origin.service.ts';

/** Whether a device responds. */
export type Alive = {
  device: string;
  isAlive: boolean;
  checkedAt: string;
  /** Detailed error code; empty when the device responds. */
  reason: string;
  detail: string;
  /**
   * The orchestrator's own result for whether it is in sync with the device; absent where the origin does not report it.
   */
  sync?: string;
};

type AliveResult = Pick<Alive, 'isAlive' | 'reason' | 'detail' | 'sync'>;

/**
 * Checks whether a device responds now, through its origin; a device that does not respond is not an error
 * (contract/lifecycle#4.1).
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when the adapter is stopped
 */
export async function isAlive(call: DeviceContext, name: string): Promise<Alive> {
  const origin = await originOf(call, name);
  const found = await CHECKS_BY_ORIGIN[origin.via](call, origin);
  return { device: name, checkedAt: call.platform.now().toISOString(), ...found };
}

const CHECKS_BY_ORIGIN: Record<Origin['via'], (call: DeviceContext, origin: Origin) => Promise<AliveResult>> =
  {
    cli: async (call, { device }) =>
      foundOf(await testHost({ ...call, reads: true }, device.name, call.request.gone())),
    grpc: async (call, { device }) => foundOf(await testGrpcHost(call, device.name)),
    adapter: async (call, { device, adapter }) => {
      try {
        const isAlive = saysAlive(await call.platform.callForDevice(adapter, 'isAlive', device.name));
        return { isAlive, reason: isAlive ? '' : 'UNREACHABLE', detail: '' };
      } catch (error) {
        return aliveFault(error);
      }
    },
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
        return aliveFault(error);
      }
    },
  };

/** Returns the result for a device whose adapter cannot say. @throws the error of a stopped adapter, and faults */
function aliveFault(error: unknown): AliveResult {
  if (!(error instanceof ServiceError) || error.code === 'CONFLICT') throw error;
  return { isAlive: false, reason: String(error.extra?.reason ?? error.code), detail: error.message };
}

/** Returns whether the answer of a package's `isAlive` says yes; packages wrap it in different ways. */
function saysAlive(answer: unknown): boolean {
  if (!isObject(answer)) return answer === true || answer === 'true';
  return [answer.isAlive, answer.alive, answer.response].some((one) => one !== undefined && saysAlive(one));
}

const foundOf = ({ ok, detail, ...more }: { ok: boolean; detail: string; reason?: string }): AliveResult => ({
  isAlive: ok,
  reason: ok ? '' : (more.reason ?? 'UNREACHABLE'),
  detail,
});

/** Returns the output of an action: the fields of the single object in the response, whichever module it is named after. */
function outputOf(answer: unknown): Record<string, unknown> {
  const [output] = Object.values(answer ?? {}) as unknown[];
  // An object from JSON.
  return typeof output === 'object' && output !== null ? (output as Record<string, unknown>) : {};
}
