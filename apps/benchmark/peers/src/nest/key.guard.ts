import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common'
import type { Request } from 'express'
import { isGoodKey } from '../environment.ts'

@Injectable()
export class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<Request>().headers
    const [scheme, key] = authorization?.split(' ') ?? []
    if (scheme !== 'Bearer' || key === undefined || !isGoodKey(key)) throw new UnauthorizedException()
    return true
  }
}
