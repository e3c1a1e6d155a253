import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';
import { type ProcedureName, useMay } from '~/api/use-may.ts';

/** A link to a page, or its text alone for accounts that may not see that page: a link must not lead to a refusal. */
export const PermittedLink = createLink(function PermittedAnchor({
  needs,
  ...anchor
}: ComponentPropsWithRef<'a'> & {
  /** The procedure that the page reads. */
  needs: ProcedureName;
}) {
  const may = useMay();
  return may(needs) ? <a {...anchor} /> : <span>{anchor.children}</span>;
});
