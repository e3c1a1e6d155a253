import { parseText, renderTemplate } from '#server/domains/assets/index.ts';
import type { EffectRun } from '../tasks/outcome.ts';
import { succeeded } from './finish.ts';
import { callerFor } from './task-contexts.service.ts';
import { named, object, optional, type TaskInput, text } from './task-input.ts';

/** Renders the stored Jinja template with this name, with the values of one incoming variable. */
const rendered = async (incoming: TaskInput, values: string, world: Parameters<EffectRun>[1]) => {
  const given = optional(object, incoming, values, {});
  const key = { name: named(incoming, 'name') };
  return renderTemplate({ db: world.db, principal: await callerFor(world) }, key, given, values);
};

const renderJinjaTemplate: EffectRun = async (incoming, world) =>
  succeeded({ renderedTemplate: await rendered(incoming, 'context', world) });

const applyTemplate: EffectRun = async (incoming, world) =>
  succeeded({ result: await rendered(incoming, 'variables', world) });

const parseTemplate: EffectRun = async (incoming, world) => {
  const [key, given] = [{ name: named(incoming, 'name') }, text(incoming, 'text')];
  return succeeded({
    records: await parseText({ db: world.db, principal: await callerFor(world) }, key, given),
  });
};

/** The runs of these tasks, by application and name. */
export const TEMPLATE_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'TemplateBuilder.applyTemplate': applyTemplate,
  'TemplateBuilder.parseTemplate': parseTemplate,
  'TemplateBuilder.renderJinjaTemplate': renderJinjaTemplate,
};
