/** Something to try where no index is loaded. Notes from a made-up workshop; the fourth answers without the words. */
export const examplePaste = {
  query: 'why is my bike chain skipping',
  documents: [
    'A chain that has stretched by more than one percent no longer sits in the valleys of the sprockets. Under load it climbs the teeth and jumps, most of all on the small cogs that see the most use.',
    'Bicycle lanes painted in red are noticed by drivers earlier than unmarked ones, according to a survey of junctions in four cities.',
    'If the indexing is off, the derailleur hangs between two gears. Turn the barrel adjuster by a quarter and pedal until the clicking stops.',
    'Worn teeth look like shark fins. Fit a new cassette together with the new links, since fresh links on old cogs slip from the first hill.',
    'Our bike tours along the river start every Saturday at ten. Helmets and repair kits are included in the price.',
    'A stiff link is felt as a small hiccup once every few turns of the cranks. Flex it sideways with both thumbs and put a drop of oil on the pin.',
    'The supermarket chain opened its hundredth branch in spring and plans a warehouse near the airport.',
    'Tyres pumped to the limit are not the fastest: on rough roads a softer one rolls better.',
    'A bent hanger throws every gear out at once. It takes a gauge, a long lever and some courage to straighten one.',
    'Clean the drivetrain every three hundred kilometres. Grit works like grinding paste between pin and roller and is what wears a chain.',
  ].join('\n\n'),
};
