import type { JsonObject } from '#server/kernel/json/objects.ts';
import { percentDecoded } from '#server/kernel/text/percent-decoded.ts';
import { UNKNOWN_SYNTAX } from '#server/platforms/record/command-syntax.ts';
import type { DriverFacts } from '#server/southbound/cli/ports.ts';
import { deviceTypes } from '../inventory/device-types.ts';

/** Command lines in a request that an orchestrator forwards to a device. */
export type DeviceCommands = {
  /** Name of the device; "" if the path has none. */
  device: string;
  /** The gateway's device type; `autodetect` if the path does not determine it. */
  deviceType: string;
  lines: string[];
};

type PathStep = { module: string; name: string; key: string };

/**
 * Returns the command lines of a request below `exec` of a device, as in
 * `…/devices/device=edge-1/live-status/tailf-ned-cisco-ios-stats:exec/any`; undefined for other requests. The action is
 * part of the command, except `any`: `exec/show` with `version` sends `show version`. Other texts in the body, such as
 * answers to questions of the device, are separate lines.
 */
export function deviceCommandsOf(path: string, body: JsonObject): DeviceCommands | undefined {
  const steps = stepsOf(path);
  const at = steps.findIndex(({ name }) => name === 'exec');
  if (at < 0) return undefined;
  const device = steps.findIndex(({ name }) => name === 'device');
  const action = steps
    .slice(at + 1)
    .map(({ name }) => name)
    .filter((name) => name !== '_operations' && name !== 'any');
  const [args, others] = textsOf(body);
  const line = [...action, ...args].join(' ').trim();
  return {
    device: steps[device]?.key || (device < 0 ? '' : (steps[device + 1]?.name ?? '')),
    deviceType: typeOf(steps[at]?.module ?? ''),
    // Each argument is also a separate line, because the orchestrator's driver determines how they are joined.
    lines: [...new Set([line, ...(action.length === 0 ? args : []), ...others])].filter((one) => one !== ''),
  };
}

/**
 * Returns the syntax for policies. The orchestrator's driver splits lines itself, possibly at separators that the
 * device does not have, so all separators apply.
 */
export const kindOf = (
  { deviceType }: DeviceCommands,
  drivers: readonly DriverFacts[],
): Pick<DriverFacts, 'device_type' | 'abbreviates' | 'syntax'> => {
  const driver = drivers.find(({ device_type }) => device_type === deviceType);
  const { separators } = UNKNOWN_SYNTAX;
  const syntax = driver?.syntax ?? UNKNOWN_SYNTAX;
  return {
    device_type: deviceType,
    abbreviates: driver?.abbreviates ?? true,
    syntax: { ...syntax, separators: [...new Set([...syntax.separators, ...separators])] },
  };
};

/** Returns the segments of a path, decoded twice because the remote system may do so. */
function stepsOf(path: string): PathStep[] {
  return decoded(decoded(path.split('?', 1)[0] ?? ''))
    .split('/')
    .map((segment) => {
      const [named = '', ...keys] = (segment.split(';', 1)[0] ?? '').split('=');
      const colon = named.indexOf(':');
      return {
        module: colon < 0 ? '' : named.slice(0, colon),
        name: named.slice(colon + 1),
        key: keys.join('='),
      };
    });
}

const decoded = (text: string): string => percentDecoded(text, text);

/** Driver families whose names differ from those of the config parser. */
const FAMILIES: Readonly<Record<string, string>> = {
  'cisco-iosxr': 'cisco_xr',
  'cisco-ios-xr': 'cisco_xr',
  'cisco-ios': 'cisco_ios',
  ios: 'cisco_ios',
  nx: 'cisco_nxos',
  asa: 'cisco_asa',
};

/** Returns the device type for a driver's module: `tailf-ned-cisco-nx-stats`, or `ios-stats` in older ones. */
function typeOf(module: string): string {
  const family = module.replace(/^tailf-ned-/, '').replace(/-stats$/, '');
  const known = FAMILIES[family] ?? deviceTypes().find(({ ostype }) => ostype === family)?.device_type;
  return known ?? 'autodetect';
}

/** Returns the texts in a body: those of `args`, and all others. */
function textsOf(body: unknown, name = ''): [string[], string[]] {
  if (typeof body === 'string' || typeof body === 'number') {
    return name === 'args' ? [[String(body)], []] : [[], [String(body)]];
  }
  if (typeof body !== 'object' || body === null) return [[], []];
  const parts = Object.entries(body).map(([field, value]) =>
    textsOf(value, Array.isArray(body) ? name : field.slice(field.indexOf(':') + 1)),
  );
  return [parts.flatMap(([args]) => args), parts.flatMap(([, others]) => others)];
}
