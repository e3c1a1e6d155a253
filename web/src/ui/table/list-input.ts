import type { UrlState } from '~/app/url-state.ts';
import { type Sort, sortOf } from './sort.ts';

/**
 * Returns filter and order of a list as the procedures take them in `queryOptions`.
 *
 * @param field the field in which the text `q` is sought
 */
export function listInput({ q, sort }: Pick<UrlState, 'q' | 'sort'>, field: string, defaultSort?: Sort) {
  const order = sortOf(sort) ?? defaultSort;
  return {
    ...(q && { contains: { [field]: q } }),
    ...(order && { sort: order.field, order: order.order }),
  };
}
