import { router } from '#server/kernel/procedures.ts';
import { accessDefault } from './access-default.ts';
import { accounts } from './accounts.ts';
import { catalogue } from './catalogue.ts';
import { groups } from './groups.ts';
import { roles } from './roles.ts';
import { tokens } from './tokens.ts';

export const authorization = router({
  ...accessDefault,
  ...accounts,
  ...groups,
  ...roles,
  ...catalogue,
  ...tokens,
});
