import type { DriverData } from './record/driver-data.ts';
import type { PlatformRecord } from './record/platform-record.ts';
import * as records from './records.ts';

/** All supported platforms, by name. */
export const PLATFORMS: readonly PlatformRecord[] = Object.values(records);

/** The drivers of every built-in device type. */
export const DRIVERS: readonly DriverData[] = PLATFORMS.flatMap(
  ({ name, title, text, like = '', deviceTypes = [] }) =>
    deviceTypes.map(({ aliases: _, ...driver }, at) => ({
      ...(at === 0 && { description: title }),
      ...driver,
      ostype: text ? name : like,
    })),
);
