import { useEffect } from 'preact/hooks';
import { useAddress } from '../state/use-address.js';
import { useCatalogue } from '../state/use-catalogue.js';
import { Experiments } from './experiments.js';
import { Header } from './header.js';
import { KeyForm, Notice } from './notice.js';
import { SearchView } from './search-view.js';

/** The page: a header, and one of two views under it. */
export function App() {
  const [address, navigate] = useAddress();
  const { catalogue, problem, reload } = useCatalogue();
  const subject = address.view === 'experiments' ? 'Experiments' : address.query;
  useEffect(() => {
    document.title = subject ? `${subject} – bert-qe` : 'bert-qe';
  }, [subject]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header address={address} navigate={navigate} info={catalogue?.info} />
      <main id="main" tabIndex={-1}>
        {problem?.type === 'unauthorized' ? (
          <KeyForm refusal={problem} onKey={reload} />
        ) : problem ? (
          <Notice title="The server cannot be reached" action={{ label: 'Try again', run: reload }}>
            {problem.message}
          </Notice>
        ) : address.view === 'experiments' ? (
          <Experiments address={address} navigate={navigate} />
        ) : catalogue ? (
          <SearchView address={address} navigate={navigate} catalogue={catalogue} reload={reload} />
        ) : null}
      </main>
    </>
  );
}
