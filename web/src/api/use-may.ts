import { useQuery } from '@tanstack/react-query';
import { type Inputs, trpc } from './client.ts';

/** The name of a procedure, such as `operationsManager.startJob`. */
export type ProcedureName = {
  [Area in keyof Inputs & string]: `${Area}.${keyof Inputs[Area] & string}`;
}[keyof Inputs & string];

/** The signed-in account with its roles and rights; undefined until it is known. */
export const useWhoAmI = () => useQuery(trpc.session.whoAmI.queryOptions({}, { staleTime: 60_000 })).data;

/** Returns a function that says whether the account may call a procedure, by its roles or a single permission. */
export function useMay(): (name: ProcedureName) => boolean {
  const methods = useWhoAmI()?.methods;
  return (name) => {
    const [area = '', procedure = ''] = name.split('.');
    return methods?.[area.charAt(0).toUpperCase() + area.slice(1)]?.includes(procedure) ?? false;
  };
}
