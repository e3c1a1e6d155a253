import type { Outputs } from '~/api/client.ts';

export type TemplateType = Outputs['automationStudio']['getTemplate']['type'];

/** The types of text templates, as choices of a field. */
export const TYPES: { value: TemplateType; label: string }[] = [
  { value: 'jinja2', label: 'Jinja: text from values' },
  { value: 'textfsm', label: 'TextFSM: records from output' },
];

/** Returns the name of a type. */
export const typeText = (type: TemplateType | undefined): string =>
  type === undefined ? '–' : { jinja2: 'Jinja', textfsm: 'TextFSM' }[type];
