/* Make random moves in any game, as many as you like:
   redouble build c double-down
   cc -O2 -I. -DGAME=double_down -include double-down.h billion_moves.c double-down.o
   ./a.out 4 1000000000 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define JOINED(game, name) game##_##name
#define OF(game, name) JOINED(game, name)

int main(int words, char **word) {
    int seats = words == 3 ? atoi(word[1]) : 0, most = sizeof OF(GAME, headers) / sizeof *OF(GAME, headers) - 1;
    if (seats < 1 || seats > most || !OF(GAME, headers)[seats].seats)
        return fputs("give a number of players that the game has, and a number of moves\n", stderr), 2;
    long wanted = atol(word[2]), moves = 0, games = 0;
    static int16_t legal[8192]; /* the header shows how many numbers each game needs */
    struct OF(GAME, position) s;
    for (uint32_t dice = 1; moves < wanted; games++) {
        s = OF(GAME, headers)[seats];
        s.rng[0] = games, s.rng[1] = 1, s.rng[2] = 2, s.rng[3] = 3;
        OF(GAME, setup)(&s);
        for (int n; moves < wanted && (n = OF(GAME, legal)(&s, legal)) > 0; moves++) {
            dice = dice * 1664525u + 1013904223u;
            OF(GAME, play)(&s, legal[(dice >> 16) % n]);
        }
    }
    printf("%ld moves in %ld games: %.2f s\n", moves, games, (double)clock() / CLOCKS_PER_SEC);
}
