import { foldsOfPartitions, roundRobinFolds, type Fold } from './folds.js';

/**
 * The partitions of Robust04's 250 topics that the paper follows (Dai and Callan, SIGIR 2019; Huston and Croft, 2014),
 * in the order of CEDR's folds.
 */
const robust04 = [
  '302 303 309 316 317 319 323 331 336 341 356 357 370 373 378 381 383 392 394 406 410 411 414 426 428 ' +
    '433 447 448 601 607 608 612 617 619 635 641 642 646 647 654 656 662 665 669 670 679 684 690 692 700',
  '301 308 312 322 327 328 338 343 348 349 352 360 364 365 369 371 374 386 390 397 403 419 422 423 424 ' +
    '432 434 440 446 602 604 611 623 624 627 632 638 643 651 652 663 674 675 678 680 683 688 689 695 698',
  '306 307 313 321 324 326 334 347 351 354 358 361 362 363 376 380 382 396 404 413 415 417 427 436 437 ' +
    '439 444 445 449 450 603 605 606 614 620 622 626 628 631 637 644 648 661 664 666 671 677 685 687 693',
  '320 325 330 332 335 337 342 344 350 355 368 377 379 387 393 398 402 405 407 408 412 420 421 425 430 ' +
    '431 435 438 616 618 625 630 633 636 639 649 650 653 655 657 659 667 668 672 673 676 682 686 691 697',
  '304 305 310 311 314 315 318 329 333 339 340 345 346 353 359 366 367 372 375 384 385 388 389 391 395 ' +
    '399 400 401 409 416 418 429 441 442 443 609 610 613 615 621 629 634 640 645 658 660 681 694 696 699',
];

/** Folds that have a name: the topics of Robust04 and GOV2 as the paper partitions them. */
const published: Readonly<Record<string, () => Fold[]>> = {
  robust04: () => foldsOfPartitions(robust04.map((ids) => ids.split(' '))),
  gov2: () => roundRobinFolds(Array.from({ length: 150 }, (_, i) => String(701 + i))),
};

/** The published folds of this name; undefined where there are none. */
export function publishedFolds(name: string): Fold[] | undefined {
  return Object.hasOwn(published, name) ? published[name]!() : undefined;
}
