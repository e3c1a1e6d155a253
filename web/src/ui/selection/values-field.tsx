import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Inputs, trpc } from '~/api/client.ts';
import { useSettled } from '~/api/use-settled.ts';
import { TokensField, type TokensFieldProps } from '../inputs/tokens-field.tsx';

type ValuesFieldProps = Omit<TokensFieldProps, 'known' | 'onType'> & {
  field: Inputs['inventory']['listSelectionValues']['field'];
};

/** Values of one field of a selection; those that exist are offered with the number of their devices. */
export function ValuesField({ field, ...tokens }: ValuesFieldProps) {
  const [text, setText] = useState('');
  const sought = useSettled(text);
  const { data } = useQuery(
    trpc.inventory.listSelectionValues.queryOptions(
      { field, text: sought, limit: 50 },
      { placeholderData: keepPreviousData, staleTime: 30_000 },
    ),
  );
  const known = (data?.values ?? []).map(({ value, devices }) => ({
    value,
    note: devices === null ? 'by a selection' : `${devices} ${devices === 1 ? 'device' : 'devices'}`,
  }));
  return <TokensField {...tokens} known={known} onType={setText} />;
}
