import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import {
  type Prediction,
  type ProposalRequest,
  predictedResultOf,
  proposedChanges,
} from '#server/domains/golden-config/remediation/proposal.ts';
import { compileRules } from '#server/domains/golden-config/rules/compile.ts';
import { linesOf } from '../rules/invented-rules.ts';
import { dialect } from './invented-device.ts';

/** What is proposed for a configuration that should meet a template. */
export function proposed(name: string, template: string, config: string, wanted?: ProposalRequest) {
  const of = dialect(name);
  const program = compileRules([{ id: 's', lines: linesOf(template, {}, of) }], {}, of);
  const parsed = parseConfig(config, of);
  const { changes, manual } = proposedChanges(program, parsed, of, wanted);
  const outlook: Prediction = predictedResultOf(program, parsed, changes, of);
  return { ...outlook, changes, manual, reasons: manual.map(({ reason }) => reason) };
}

/** The text of these lines. */
export const lines = (...all: string[]): string => all.join('\n');
