import type { TemplateRequest } from '#db/schemas/requests/device-template.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { getTemplate } from '../devices/device-templates.service.ts';
import { isSamePlatform } from '../devices/platforms.ts';
import { renderText } from '../specs/spec-texts.service.ts';
import { originOf } from './origin.service.ts';
import { type Pushed, pushConfiguration } from './push.service.ts';

/** The result of applying a template; `commands` has the outcome of each line. */
export type AppliedTemplate = Omit<Pushed, 'result'> & {
  result: { value: string }[];
  chosenAdapter: string;
  commands: Pushed['result'];
};

/**
 * Renders a device template and pushes its lines like a manual push (contract/lifecycle#4.11): after a backup, one change
 * at a time, until a line is rejected.
 *
 * @throws ServiceError NOT_FOUND for device or template; BAD_REQUEST where the template is for other kinds of device, or
 *   cannot be rendered; as pushConfiguration
 */
export async function applyTemplate(
  call: DeviceContext,
  { deviceName, templateId, options = {} }: TemplateRequest,
): Promise<AppliedTemplate> {
  const { device, adapter } = await originOf(call, deviceName);
  const { name, template, variables, deviceOSTypes = [] } = await getTemplate(call, templateId);
  const ostype = device.ostype ?? '';
  if (deviceOSTypes.length > 0 && !deviceOSTypes.some((one) => isSamePlatform(one, ostype))) {
    const kinds = deviceOSTypes.slice(0, 10).join(', ');
    assertNone([
      issue(
        ['templateId'],
        `${name} is for ${kinds}; device ${device.name} has ${ostype ? `the ostype ${ostype}` : 'no ostype'}`,
      ),
    ]);
  }
  const at = ['templateId'];
  const config = await renderText(template, { ...variables, ...options.variables }, at);
  const { dryRun } = options;
  const { result: commands, ...pushed } = await pushConfiguration(call, device.name, config, { dryRun, at });
  const sent = commands.filter(({ status }) => status === 'SUCCESS').length;
  const value = dryRun ? pushed.message : `${sent} command(s) sent`;
  return { ...pushed, result: [{ value }], chosenAdapter: adapter, commands };
}
