import { z } from 'zod';
import { record, text } from '../fields.ts';
import { ObjectId, Severity, Timestamp } from '../primitives.ts';

/** One word of a rule line (contract/lifecycle#4.6). */
export const Word = z
  .looseObject({
    type: z
      .enum(['literal', 'regex', 'variable'])
      .describe(
        'How value is compared: literal as one word, regex as an expression over one or more words, variable by the value of that name',
      ),
    value: z.string().describe('The word, the expression without its slashes, or the name of the variable'),
  })
  .meta({ id: 'Word', description: 'One word of a rule line.' });
export type Word = z.infer<typeof Word>;

/** A rule derived from one line of a template, with the rules nested below it (contract/lifecycle#4.6). */
export const Line = z
  .looseObject({
    id: text('Id of the line within its spec: 16 hexadecimal characters', '65f0c1d2e3a4b5c6'),
    words: z.array(Word).describe('All words of the configuration line, in order'),
    get lines(): z.ZodOptional<z.ZodArray<typeof Line>> {
      return z.array(Line).optional().describe('Rules for the lines nested below');
    },
    evalMode: z
      .enum(['required', 'disallowed', 'ignored', 'optional'])
      .optional()
      .describe(
        'required: must be present; disallowed: must be absent; ignored: not counted; optional: may be absent, its children count when it is present',
      ),
    fixMode: z
      .enum(['manual', 'automatic'])
      .optional()
      .describe(
        'Whether a remediation proposal selects the line by default; nothing is pushed without approval',
      ),
    severity: Severity.optional().describe('Severity of a violation of this line'),
    ordering: z
      .enum(['none', 'strict', 'loose'])
      .optional()
      .describe(
        'Order of the nested lines: none, strict (exactly these, in this order), loose (in this order, with others allowed between)',
      ),
    membership: text('Kept for exports; default is the only value', 'default'),
  })
  .meta({
    id: 'Line',
    description: 'A compliance rule for one configuration line, and those nested below it.',
  });
export type Line = z.infer<typeof Line>;

const template = z.string().meta({
  description:
    'Source of the rules: configuration text with rule marks such as {d/} or <e/> and Jinja expressions',
  examples: ['ntp server {{ ntp }}\n<e/>no ip http server\n'],
});
const ruleSet = z
  .unknown()
  .optional()
  .describe(
    'JSON only: what is said of members by their paths. severity {error, warning, info: [path]}; evalMode {required, disallowed, ignored, optional: [path]}; keysExist [{path, required, disallowed, ignored: [name], severity}]; arrayIdentity {path: member}; dynamicKeys [path]',
  );

/** The rules of a node for the devices of one more platform (contract/additions#golden-sections). */
const Section = z
  .looseObject({
    template,
    lines: z.array(Line).optional().describe('Rules derived from the template'),
    ruleSet,
  })
  .meta({ id: 'SpecSection', description: 'Rules of a node for the devices of one more platform.' });
export type SpecSection = z.infer<typeof Section>;

/** The rules of one node: a template and the lines derived from it (contract/lifecycle#4.6). */
export const Spec = z
  .looseObject({
    id: ObjectId.optional().describe('Id of the spec; the same value as _id'),
    _id: ObjectId.describe('Id of the spec'),
    deviceType: z.string().meta({
      description: 'Name of the config parser for the template',
      examples: ['cisco-ios'],
    }),
    template,
    lines: z.array(Line).describe('Rules derived from the template'),
    variables: record('Values used when the lines were derived, by name'),
    ruleSet,
    sections: z
      .record(z.string().min(1).max(255), Section)
      .optional()
      .describe(
        'Rules for devices of other platforms than that of the tree, by the name of their config parser',
      ),
    created: Timestamp.optional().describe('When the spec was stored'),
    createdBy: text('Id of the account that stored the spec'),
    lastUpdated: Timestamp.optional().describe('When the spec last changed'),
    lastUpdatedBy: text('Id of the account that last changed the spec'),
  })
  .meta({ id: 'Spec', description: 'Compliance rules of one node of a golden tree.' });
export type Spec = z.infer<typeof Spec>;

const WithoutDeviceType = Spec.partial({ deviceType: true });
/** A spec as stored: one that was imported without a device type uses that of the version which owns it. */
export type StoredSpec = z.infer<typeof WithoutDeviceType>;

/** A spec in an exported tree (contract/lifecycle#4.7): missing lines are derived from the template. */
export const ImportedSpec = Spec.partial().meta({
  id: 'ImportedSpec',
  description: 'Compliance rules of one node in an export file; missing lines are derived from the template.',
});
