import type { DriverData } from '../driver.ts';
import { CISCO } from './cisco.ts';
import { CONFIGURING } from './configuring.ts';
import { OTHERS } from './other-vendors.ts';
import { SWITCHES } from './switches.ts';
import { SYNTAX } from './syntax.ts';

/** Every driver that is built in. */
export const BUILT_IN: readonly DriverData[] = [...CISCO, ...SWITCHES, ...OTHERS].map((driver) => {
  const config = CONFIGURING[driver.device_type];
  const syntax = SYNTAX[driver.device_type];
  return { ...driver, ...(config && { config }), ...(syntax && { syntax }) };
});
