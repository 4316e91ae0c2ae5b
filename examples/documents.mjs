/** Documents that a first stage might have found for the question, in its order. */
export const question = 'Why did the bridge sway when people walked on it?';

export const documents = [
  'The bridge opened to the public in June and was painted in a pale grey that changes with the weather.',
  'Walkers unconsciously fall into step with a deck that moves sideways; their steps then push it further, in time with its own rhythm.',
  'A suspension bridge hangs its roadway from two cables that run over tall towers to anchors on either shore.',
  'Dampers were fitted under the deck, and since then the sideways motion has not come back.',
  'Bread rises because yeast turns sugar into gas, which the dough holds in small bubbles.',
  'Soldiers are told to break step on bridges, since marching in time can make a light deck swing.',
];
