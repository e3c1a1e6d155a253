import type { Driver } from './driver.ts';
import type { DriverFacts } from './ports.ts';

/** Returns the public facts of drivers, sorted by name. */
export const driverFacts = (drivers: ReadonlyMap<string, Driver>): DriverFacts[] =>
  [...drivers.values()]
    .map(({ device_type, ostype, description, abbreviates, config, syntax }) => ({
      device_type,
      ostype,
      description,
      abbreviates,
      config,
      syntax,
    }))
    .sort((a, b) => (a.device_type < b.device_type ? -1 : 1));
