import type { GitKind } from '#db/schemas/git/remote.ts';
import { COMMAND_TEMPLATES } from './command-templates.service.ts';
import { DEVICE_BACKUPS } from './device-backups.service.ts';
import { GOLDEN_TREES } from './golden-trees.service.ts';
import type { GitKindRules } from './kind.ts';
import { PROJECTS } from './projects.service.ts';
import { WORKFLOWS } from './workflows.service.ts';

/** Every kind, in the order in which documents are stored: what others refer to comes first. */
export const KIND_RULES: Readonly<Record<GitKind, GitKindRules>> = {
  commandTemplates: COMMAND_TEMPLATES,
  goldenTrees: GOLDEN_TREES,
  workflows: WORKFLOWS,
  projects: PROJECTS,
  deviceBackups: DEVICE_BACKUPS,
};
