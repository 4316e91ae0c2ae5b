import { pages, root, slowPages, testPage } from './programs.js';
import { checkout } from './world.js';

for (const file of slowPages) if (pages.has(file)) testPage(file, () => checkout(root));
