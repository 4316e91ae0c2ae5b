import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { readAddress, writeAddress, type Address } from '../model/address.js';

/** Fields to change; undefined takes one out. */
export type AddressChange = { readonly [Field in keyof Address]?: Address[Field] | undefined };

/** `replace`: without a step for the back button. */
export type Navigate = (change: AddressChange, how?: 'push' | 'replace') => void;

/** The address bar as state: what is changed in either shows in the other. */
export function useAddress(): [Address, Navigate] {
  const [address, setAddress] = useState(() => readAddress(location.search));
  const current = useRef(address);
  const show = (next: Address): void => {
    current.current = next;
    setAddress(next);
  };
  useEffect(() => {
    const onPop = (): void => {
      clearTimeout(replacing);
      show(readAddress(location.search));
    };
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
  const navigate = useCallback<Navigate>((change, how = 'push') => {
    const before = writeAddress(current.current);
    const merged = Object.entries({ ...current.current, ...change });
    const next = Object.fromEntries(merged.filter(([, value]) => value !== undefined)) as unknown as Address;
    const url = writeAddress(next);
    show(next);
    if (url === before) return;
    if (how === 'replace') return replaceSoon(url);
    // The step that is left keeps what a slider did to it.
    clearTimeout(replacing);
    history.replaceState(null, '', before);
    history.pushState(null, '', url);
  }, []);
  return [address, navigate];
}

let replacing: ReturnType<typeof setTimeout> | undefined;

/** Browsers refuse more than some hundred changes a minute, and a slider makes more. */
function replaceSoon(url: string): void {
  clearTimeout(replacing);
  replacing = setTimeout(() => history.replaceState(null, '', url), 200);
}
