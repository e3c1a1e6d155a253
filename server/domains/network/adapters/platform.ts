/** Words in the id of a driver, or in the name of a platform, and the config parser of such devices; first that fits. */
const PARSERS: readonly (readonly [RegExp, string])[] = [
  [/ios[-_]?xr|iosxr/, 'cisco-ios-xr'],
  [/nx(?:os)?(?=[-_:.\d]|$)|nexus/, 'cisco-nx'],
  [/\basa\b|[-_]asa/, 'cisco-asa'],
  [/staros/, 'cisco-staros'],
  [/aireos|wlc/, 'cisco-aireos'],
  [/ios(?:[-_]?xe)?(?=[-_:.\d]|$)|catalyst/, 'cisco-ios'],
  [/junos|juniper/, 'juniper-junos'],
  [/arista|\beos\b|dcs/, 'arista-eos'],
  [/alu[-_]?sr|sros|timos|nokia/, 'alu-sr'],
  [/vrp|huawei/, 'huawei-vrp'],
  [/comware|h3c/, 'hp-comware'],
  [/procurve/, 'hp-procurve'],
  [/aoscx|aos-cx/, 'aruba-aoscx'],
  [/forti/, 'fortinet-fortios'],
  [/pan-?os|paloalto/, 'paloalto-panos'],
  [/routeros|mikrotik/, 'mikrotik-routeros'],
  [/big-?ip|\bf5\b|f5-/, 'f5-bigip'],
  [/exos/, 'extreme-exos'],
  [/fastiron/, 'ruckus-fastiron'],
  [/netiron/, 'extreme-netiron'],
  [/\bos10\b|dell/, 'dell-os10'],
  [/vyos|vyatta/, 'vyatta-vyos'],
  [/acos|a10/, 'a10-acos'],
  [/saos|ciena/, 'ciena-saos'],
  [/linux/, 'linux'],
];

/**
 * The config parser that reads a device's configurations, as far as its orchestrator tells (contract/lifecycle#11).
 *
 * @param isParser whether there is a parser of this name
 * @returns "" when none fits
 */
export function parserOf(
  { nedId, platform }: { nedId: string; platform: string },
  isParser: (name: string) => boolean,
): string {
  for (const told of [platform, nedId.split(':').at(-1) ?? '']) {
    const name = told.toLowerCase();
    if (isParser(name)) return name;
    const found = PARSERS.find(([words]) => words.test(name))?.[1];
    if (found && isParser(found)) return found;
  }
  return '';
}
