import { isObject } from '#server/kernel/json/objects.ts';
import type { KnownDevice } from '#server/southbound/orchestrator/ports.ts';

/** Returns the list of a page of devices, which packages put in different places. */
function listIn(page: unknown): readonly unknown[] {
  if (Array.isArray(page)) return page;
  if (!isObject(page)) return [];
  const { list, response } = page;
  if (Array.isArray(list)) return list;
  return isObject(response) || Array.isArray(response) ? listIn(response) : [];
}

/** Returns the number of devices of all pages. @param page result of `getDevicesFiltered` @returns Infinity when it does not say */
export function totalIn(page: unknown): number {
  if (!isObject(page)) return Number.POSITIVE_INFINITY;
  if (typeof page.total === 'number') return page.total;
  return isObject(page.response) ? totalIn(page.response) : Number.POSITIVE_INFINITY;
}

/** Returns the devices of a page; those without a name are left out. @param page result of `getDevicesFiltered` */
export const devicesIn = (page: unknown): KnownDevice[] =>
  listIn(page).flatMap((device) => {
    if (!isObject(device) || typeof device.name !== 'string' || device.name === '') return [];
    const { name, ipaddress, host, port, ostype } = device;
    const address = [ipaddress, host].find((one) => typeof one === 'string' && one !== '');
    const number = Number(port);
    return [
      {
        name,
        address: typeof address === 'string' ? address : '',
        port: Number.isInteger(number) && number > 0 && number < 65_536 ? number : null,
        nedId: '',
        platform: typeof ostype === 'string' ? ostype : '',
      },
    ];
  });
